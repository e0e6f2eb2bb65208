/** Faults of contracts, setup and calls that can be found without a chain. */
import { type ArgumentSource, choicesOf, ContractAbi, referencesOf, resolveArgument } from '#load/chain';
import type { DocumentFault, DocumentPath } from '#platform/config';
import { DomainError } from '#platform/foundation';
import type { Scenario } from './scenario.ts';

type Contract = Scenario['contracts'][string];

/** What a call may refer to at its place. */
interface Known {
  readonly contracts: ReadonlyMap<string, ContractAbi | undefined>;
  readonly steps: ReadonlySet<string>;
}

interface Call {
  readonly path: DocumentPath;
  readonly contract: string;
  readonly function: string;
  readonly args: readonly unknown[];
}

export function contractFaults(scenario: Scenario): readonly DocumentFault[] {
  const faults: DocumentFault[] = [];
  const abis = new Map<string, ContractAbi | undefined>();
  for (const [name, contract] of Object.entries(scenario.contracts)) {
    const path = ['contracts', name];
    const { abi, faults: found } = abiOf(contract, path);
    faults.push(...found, ...sourceFaults(contract, path));
    const known = { contracts: new Map(abis), steps: new Set<string>() };
    faults.push(...constructorFaults(abi, contract, { path, known }));
    abis.set(name, abi);
  }
  return [
    ...faults,
    ...setupFaults(scenario, abis),
    ...mixFaults(scenario, abis),
    ...readFaults(scenario, abis),
  ];
}

function abiOf(
  { abi = [] }: Contract,
  path: DocumentPath,
): { readonly abi: ContractAbi | undefined; readonly faults: readonly DocumentFault[] } {
  for (const [at, entry] of abi.entries()) {
    const fault = faultOf(() => new ContractAbi([entry]), [...path, 'abi', at]);
    if (fault !== undefined) return { abi: undefined, faults: [fault] };
  }
  return { abi: new ContractAbi(abi), faults: [] };
}

function sourceFaults(contract: Contract, path: DocumentPath): readonly DocumentFault[] {
  const { artifact, bytecode, at, args, value_wei: valueWei } = contract;
  if (artifact !== undefined) {
    const message = 'expected bytecode and abi: only `plexus-hive run` reads files';
    return [{ path: [...path, 'artifact'], message }];
  }
  if ((bytecode === undefined) === (at === undefined)) {
    return [{ path, message: 'expected one of artifact, bytecode and at' }];
  }
  const isGiven = args.length > 0 || valueWei !== '0';
  if (at === undefined || !isGiven) return [];
  return [{ path, message: 'expected neither args nor value_wei for a contract that exists' }];
}

function constructorFaults(
  abi: ContractAbi | undefined,
  { args, at }: Contract,
  { path, known }: { readonly path: DocumentPath; readonly known: Known },
): readonly DocumentFault[] {
  if (abi === undefined || at !== undefined) return [];
  const isFit = (values: readonly unknown[]): unknown => abi.encodeConstructor(values);
  return argumentFaults(args, { path: [...path, 'args'], known, isFit });
}

function setupFaults({ setup }: Scenario, contracts: Known['contracts']): readonly DocumentFault[] {
  const steps = new Set<string>();
  return setup.flatMap((step, at) => {
    const path = ['setup', at];
    const faults = [...callFaults({ path, ...step }, { contracts, steps: new Set(steps) })];
    if (step.name !== undefined && step.from === 'accounts') {
      faults.push({ path: [...path, 'name'], message: 'only a call of the funder has one result' });
    }
    const isAgain = step.name !== undefined && steps.has(step.name);
    if (step.name !== undefined) steps.add(step.name);
    const again = { path: [...path, 'name'], message: 'expected another name: a step above has it' };
    return isAgain ? [...faults, again] : faults;
  });
}

function mixFaults({ mix, setup, fees }: Scenario, contracts: Known['contracts']): readonly DocumentFault[] {
  const steps = new Set(setup.flatMap(({ name }) => name ?? []));
  return mix.flatMap((entry, at): readonly DocumentFault[] => {
    const { kind, contract, function: called, args = [], expect, gas_limit: gasLimit } = entry;
    const path = ['mix', at];
    if (kind !== 'call') {
      const message = 'only calls are expected to revert';
      return expect === 'reverted' ? [{ path: [...path, 'expect'], message }] : [];
    }
    if (contract === undefined || called === undefined) {
      return [{ path, message: 'expected contract and function: a call needs them' }];
    }
    const isLimited = gasLimit !== undefined || fees.gas_limit !== 'estimate';
    const unlimited = {
      path: [...path, 'gas_limit'],
      message: 'missing: a call that reverts cannot be estimated',
    };
    const faults = callFaults({ path, contract, function: called, args }, { contracts, steps });
    return expect === 'reverted' && !isLimited ? [...faults, unlimited] : faults;
  });
}

/** The keys of each kind of read: the first ones are required. */
const READ_KEYS = {
  balance: [],
  call: ['contract', 'function', 'args'],
  logs: ['contract', 'blocks'],
  method: ['method', 'params'],
} as const;
const REQUIRED_OF_READS = { balance: 0, call: 2, logs: 1, method: 1 } as const;
const ALL_READ_KEYS = ['contract', 'function', 'args', 'blocks', 'method', 'params'] as const;

function readFaults({ reads, setup }: Scenario, contracts: Known['contracts']): readonly DocumentFault[] {
  const known = { contracts, steps: new Set(setup.flatMap(({ name }) => name ?? [])) };
  const names = reads.map(({ name }) => name);
  return reads.flatMap((read, at): readonly DocumentFault[] => {
    const { kind, name, contract = '', function: called = '', args = [], params = [] } = read;
    const path = ['reads', at];
    const keys: readonly (typeof ALL_READ_KEYS)[number][] = READ_KEYS[kind];
    const needed = keys.slice(0, REQUIRED_OF_READS[kind]);
    const faults = [
      ...needed.filter((key) => read[key] === undefined).map((key) => ({ key, message: 'missing' })),
      ...ALL_READ_KEYS.filter((key) => read[key] !== undefined && !keys.includes(key)).map((key) => ({
        key,
        message: `a read of the kind ${kind} has none`,
      })),
      ...(names.indexOf(name) < at ? [{ key: 'name', message: 'expected another name' }] : []),
    ].map(({ key, message }) => ({ path: [...path, key], message }));
    if (faults.length > 0) return faults;
    if (kind === 'call') return callFaults({ path, contract, function: called, args }, known);
    if (kind === 'method') return referencesFaults(params, [...path, 'params'], known);
    const isKnown = kind !== 'logs' || contracts.has(contract);
    const message = `expected a name of contracts, got ${contract}`;
    return isKnown ? [] : [{ path: [...path, 'contract'], message }];
  });
}

function callFaults(
  { path, contract, function: called, args }: Call,
  known: Known,
): readonly DocumentFault[] {
  if (!known.contracts.has(contract)) {
    return [{ path: [...path, 'contract'], message: `expected a name of contracts, got ${contract}` }];
  }
  const abi = known.contracts.get(contract);
  if (abi === undefined) return [];
  const missing = faultOf(() => abi.function(called), [...path, 'function']);
  if (missing !== undefined) return [missing];
  const isFit = (values: readonly unknown[]): unknown => abi.function(called).encode(values);
  return argumentFaults(args, { path: [...path, 'args'], known, isFit });
}

/** Encodes the arguments with the extremes of all that is computed, and with each item of a list. */
function argumentFaults(
  args: readonly unknown[],
  {
    path,
    known,
    isFit,
  }: {
    readonly path: DocumentPath;
    readonly known: Known;
    readonly isFit: (values: readonly unknown[]) => unknown;
  },
): readonly DocumentFault[] {
  const references = referencesFaults(args, path, known);
  if (references.length > 0) return references;
  // The types of results are known once the step was executed.
  if (hasResult(args)) return [];
  const draws = [-1, ...Array.from({ length: choicesOf(args) }, (_, draw) => draw)];
  for (const draw of draws) {
    const fault = faultOf(
      () => isFit(args.map((one) => resolveArgument(one, sampleSource(BigInt(draw))))),
      path,
    );
    if (fault !== undefined) return [fault];
  }
  return [];
}

function referencesFaults(
  args: readonly unknown[],
  path: DocumentPath,
  known: Known,
): readonly DocumentFault[] {
  const faults: DocumentFault[] = [];
  const fault = faultOf(() => {
    for (const { kind, name } of referencesOf(args)) {
      if (kind === 'contract' && !known.contracts.has(name)) {
        faults.push({ path, message: `expected a contract that is created before, got ${name}` });
      }
      if (kind === 'result' && !known.steps.has(name)) {
        faults.push({ path, message: `expected a step of the setup that is executed before, got ${name}` });
      }
    }
  }, path);
  return fault === undefined ? faults : [fault];
}

function hasResult(args: readonly unknown[]): boolean {
  return referencesOf(args).some(({ kind }) => kind === 'result');
}

const SAMPLE = `0x${'0'.repeat(39)}1`;

/** Draws the number, or the greatest possible one for −1. */
function sampleSource(draw: bigint): ArgumentSource {
  return {
    self: SAMPLE,
    next: SAMPLE,
    accountAt: () => SAMPLE,
    count: 0n,
    drawBelow: (end) => (draw < 0n || draw >= end ? end - 1n : draw),
    contract: () => SAMPLE,
    result: () => undefined,
  };
}

function faultOf(attempt: () => unknown, path: DocumentPath): DocumentFault | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { path, message: error.message };
  }
}
