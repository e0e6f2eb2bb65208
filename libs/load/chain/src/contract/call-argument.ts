/**
 * Arguments of contract calls in documents. A table with one of these keys is computed for each
 * transaction; any other value is taken as it is, and lists and tables (structs) may contain computed values:
 *
 *   account: self | next | random | number   an address of the run
 *   counter: { start, step }                 start + step × (nonce × accounts of the run + own number)
 *   random: [least, most]                    a whole number, both included
 *   list: [a, b, …]                          one of them, drawn
 *   contract: name                           the address of a contract of the run
 *   result: { step, index }                  what a step of the setup returned
 */
import { DomainError } from '#platform/foundation';

/** Where computed arguments take their values from. */
export interface ArgumentSource {
  readonly self: string;
  readonly next: string;
  /** The address at a position of the partition; positions beyond it begin again. */
  accountAt(position: number): string;
  /** Unique in the run, for each account and nonce. */
  readonly count: bigint;
  /** The next random number below `end`. */
  drawBelow(end: bigint): bigint;
  contract(name: string): string;
  result(step: string, index: number): unknown;
}

const COMPUTED = ['account', 'counter', 'random', 'list', 'contract', 'result'] as const;
type Computed = (typeof COMPUTED)[number];

type Table = Readonly<Record<string, unknown>>;

/** More than a partition has. */
const ACCOUNTS = 2n ** 32n;

/** The length of the longest list that an argument draws from; at least 1. */
export function choicesOf(argument: unknown): number {
  if (typeof argument !== 'object' || argument === null) return 1;
  const own = isTable(argument) && computedBy(argument) === 'list' ? argument['list'] : undefined;
  const inner = Object.values(argument).map(choicesOf);
  return Math.max(1, Array.isArray(own) ? own.length : 1, ...inner);
}

/** Whether the value is the same for every transaction. */
export function isConstant(argument: unknown): boolean {
  if (Array.isArray(argument)) return argument.every(isConstant);
  if (!isTable(argument)) return true;
  const kind = computedBy(argument);
  if (kind === undefined) return Object.values(argument).every(isConstant);
  return kind === 'contract' || kind === 'result';
}

/** Names of contracts and steps to which an argument refers. */
export function referencesOf(
  argument: unknown,
): readonly { readonly kind: Computed; readonly name: string }[] {
  if (Array.isArray(argument)) return argument.flatMap(referencesOf);
  if (!isTable(argument)) return [];
  const kind = computedBy(argument);
  if (kind === 'contract') return [{ kind, name: String(argument['contract']) }];
  if (kind === 'result') return [{ kind, name: resultOf(argument['result']).step }];
  return Object.values(argument).flatMap(referencesOf);
}

/** The value for one transaction. Throws INVALID_REQUEST for a computed value that is none. */
export function resolveArgument(argument: unknown, source: ArgumentSource): unknown {
  if (Array.isArray(argument)) return argument.map((one: unknown) => resolveArgument(one, source));
  if (!isTable(argument)) return argument;
  const kind = computedBy(argument);
  if (kind !== undefined) return COMPUTE[kind](argument[kind], source);
  const entries = Object.entries(argument).map(([name, one]) => [name, resolveArgument(one, source)]);
  return Object.fromEntries(entries) as unknown;
}

const COMPUTE: { readonly [Kind in Computed]: (given: unknown, source: ArgumentSource) => unknown } = {
  account: (given, source) => {
    if (given === 'self') return source.self;
    if (given === 'next') return source.next;
    if (given === 'random') return source.accountAt(Number(source.drawBelow(ACCOUNTS)));
    if (typeof given === 'number' && Number.isSafeInteger(given) && given >= 0)
      return source.accountAt(given);
    throw invalid('expected account: self, next, random, or a number from 0');
  },
  counter: (given, source) => {
    const { start = 0, step = 1 } = isTable(given) ? given : {};
    return integerOf(start, 'counter.start') + integerOf(step, 'counter.step') * source.count;
  },
  random: (given, source) => {
    const [least, most] = Array.isArray(given) ? given.map((one) => integerOf(one, 'random')) : [];
    if (least === undefined || most === undefined || most < least) {
      throw invalid('expected random: [least, most]');
    }
    return least + source.drawBelow(most - least + 1n);
  },
  list: (given, source) => {
    if (!Array.isArray(given) || given.length === 0) throw invalid('expected list: [a, b, …]');
    return resolveArgument(given[Number(source.drawBelow(BigInt(given.length)))], source);
  },
  contract: (given, source) => source.contract(String(given)),
  result: (given, source) => {
    const { step, index } = resultOf(given);
    return source.result(step, index);
  },
};

function resultOf(given: unknown): { readonly step: string; readonly index: number } {
  const { step, index = 0 } = isTable(given) ? given : { step: given };
  if (typeof step === 'string' && typeof index === 'number' && Number.isSafeInteger(index)) {
    return { step, index };
  }
  throw invalid('expected result: a name of the setup, or { step: name, index: number }');
}

function integerOf(given: unknown, where: string): bigint {
  const isNumber = typeof given === 'number' && Number.isSafeInteger(given);
  const isText = typeof given === 'string' && /^-?(?:\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(given);
  if (isNumber || isText) return BigInt(given);
  throw invalid(`expected ${where}: a whole number, large ones in quotes`);
}

function computedBy(table: Table): Computed | undefined {
  const [name, ...more] = Object.keys(table);
  return more.length === 0 ? COMPUTED.find((one) => one === name) : undefined;
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(message: string): DomainError {
  return new DomainError('INVALID_REQUEST', message);
}
