/**
 * Reads scenarios of Contender (https://github.com/flashbots/contender): TOML with `[env]`, `[[create]]`, `[[setup]]`
 * and `[[spam]]`. What has no equivalent is left out with a note, never replaced by something similar.
 *
 *   {name} in a text        a variable of [env], the address of a contract, or {_sender}
 *   [a,b] or (a,b)          a list or a struct, in a text
 *   fuzz                    { random: [min, max] } for the parameter
 *   from_pool = "admin"     the funder; any other pool: the accounts of the run
 */
import { ContractAbi, type ContractFunction } from '#load/chain';
import { DomainError } from '#platform/foundation';
import { parseScenarioText } from './scenario-text.ts';

type Table = Readonly<Record<string, unknown>>;

export interface ImportedScenario {
  /** Without target, accounts and load, which Contender takes from its command line. */
  readonly document: Table;
  /** What was left out, or changed. */
  readonly notes: readonly string[];
}

const WEI_AN_ETHER = 10n ** 18n;
const WEI_A_GWEI = 10n ** 9n;
const DEFAULT_MAX = (2n ** 64n - 1n).toString();
const TOP = ['env', 'create', 'setup', 'spam'];
const CALL_KEYS = new Set([
  ...['to', 'from', 'from_pool', 'signature', 'args', 'fuzz', 'value', 'kind', 'gas_limit'],
  ...['for_all_accounts', 'allow_revert', 'access_list'],
]);
const TRANSFER_KEYS = new Set(['to', 'from', 'from_pool', 'value', 'kind']);
/** Without these a transaction would be another one. */
const ESSENTIAL_KEYS = ['blob_data', 'authorization_address'];
/** A text of a list or a struct, and what separates its items. */
const NESTED = /^(?:\[[^]*\]|\([^]*\))$/;

/** Throws SCENARIO_INVALID for a text that is no scenario of Contender, or of which nothing can be sent. */
export function importContender(text: string, file: string): ImportedScenario {
  const document = parseScenarioText(text, 'toml', file);
  const top = isTable(document) ? document : {};
  if (isTable(top['spam'])) {
    const message = `${file}: expected a scenario of Contender, got a campaign: import the scenarios that it names`;
    throw new DomainError('SCENARIO_INVALID', message);
  }
  if (!TOP.some((name) => top[name] !== undefined)) {
    throw new DomainError(
      'SCENARIO_INVALID',
      `${file}: expected a scenario of Contender, with create, setup or spam`,
    );
  }
  return new Importer(top, file).imported();
}

class Importer {
  readonly #top: Table;
  readonly #file: string;
  readonly #notes: string[] = [];
  readonly #env: ReadonlyMap<string, string>;
  readonly #contracts = new Map<string, Table>();

  constructor(top: Table, file: string) {
    this.#top = top;
    this.#file = file;
    const env = isTable(top['env']) ? top['env'] : {};
    this.#env = new Map(Object.entries(env).map(([name, value]) => [name, String(value)]));
    for (const name of Object.keys(top)) if (!TOP.includes(name)) this.#note(name, 'no such key is known');
  }

  imported(): ImportedScenario {
    for (const [at, create] of listOf(this.#top['create']).entries()) this.#create(create, `create.${at}`);
    const setup = listOf(this.#top['setup']).flatMap((call, at) => this.#setup(call, `setup.${at}`));
    const mix = listOf(this.#top['spam']).flatMap((spam, at) => this.#spam(spam, `spam.${at}`));
    this.#notePools();
    if (mix.length === 0) throw this.#empty();
    const name = this.#file.replace(/^.*\//, '').replace(/\.toml$/i, '');
    const contracts = Object.fromEntries(this.#contracts);
    return { document: { name, contracts, setup, mix }, notes: this.#notes };
  }

  /** Without a mix there is no scenario: one of transfers alone would be another. */
  #empty(): DomainError {
    const why = this.#notes.map((note) => `\n  ${note}`).join('');
    return new DomainError(
      'SCENARIO_INVALID',
      `${this.#file}: expected a scenario of which something can be sent${why}`,
    );
  }

  /** Contender sends the transactions of each pool from accounts of its own. */
  #notePools(): void {
    const spammed = listOf(this.#top['spam']).map(({ tx }) => (isTable(tx) ? tx['from_pool'] : undefined));
    const pools = new Set(spammed.filter((pool) => typeof pool === 'string'));
    if (pools.size > 1) {
      this.#note('spam', `sent by the same accounts, not by the pools ${Array.from(pools).join(', ')}`);
    }
  }

  #create(create: Table, where: string): void {
    const { name, bytecode, signature, args } = create;
    const isNamed = typeof name === 'string' && /^[A-Za-z_]\w{0,63}$/.test(name);
    if (!isNamed || typeof bytecode !== 'string') {
      this.#note(where, 'left out: expected a name of letters, digits and _, and bytecode');
      return;
    }
    // Addresses inside of the code would have to be known before it is created.
    if (bytecode.includes('{')) {
      this.#note(where, 'left out: bytecode with placeholders');
      return;
    }
    const declared =
      typeof signature === 'string' ? [`constructor${signature.replace(/^constructor/, '')}`] : [];
    this.#contracts.set(name, { abi: declared, bytecode, args: this.#args(args, where) });
  }

  #setup(call: Table, where: string): readonly Table[] {
    const made = this.#call(call, where);
    if (made === undefined) return [];
    const isAdmin = call['for_all_accounts'] !== true;
    const { from_pool: pool } = call;
    if (isAdmin && typeof pool === 'string' && pool !== 'admin') {
      this.#note(where, `sent by the funder, not by the pool ${pool}`);
    }
    return [isAdmin ? made : { ...made, from: 'accounts' }];
  }

  #spam(spam: Table, where: string): readonly Table[] {
    if (isTable(spam['bundle']))
      this.#note(where, 'bundles are left out: their transactions would be sent one by one');
    else if (!isTable(spam['tx'])) this.#note(where, 'left out: expected a tx');
    const { tx } = spam;
    if (!isTable(tx)) return [];
    const { from } = tx;
    if (typeof from === 'string') this.#note(where, `sent by the accounts of the run, not by ${from}`);
    const essential = ESSENTIAL_KEYS.find((key) => tx[key] !== undefined);
    if (essential !== undefined) {
      this.#note(where, `left out: a transaction with ${essential}`);
      return [];
    }
    const isTransfer = tx['signature'] === undefined;
    if (isTransfer) {
      this.#noteLeftOut(tx, TRANSFER_KEYS, where);
      return this.#transfer(tx, where);
    }
    const made = this.#call(tx, where);
    if (made === undefined) return [];
    const { access_list: accesses } = tx;
    return [{ kind: 'call', weight: 1, ...made, ...(accesses !== undefined && this.#accesses(accesses)) }];
  }

  #accesses(accesses: unknown): Table {
    const list = listOf(accesses).map(({ address, storageKeys }) => ({
      address: this.#text(address).replace(/^\{(\w+)\}$/, '$1'),
      storage_keys: listOfTexts(storageKeys).map((key) => this.#text(key)),
    }));
    return { access_list: list };
  }

  #transfer({ to, value }: Table, where: string): readonly Table[] {
    const target = this.#text(to);
    const wei = this.#wei(value, where);
    if (target === '{_sender}') return [{ kind: 'transfer', weight: 1, to: 'ring', value_wei: wei }];
    if (/^0x[0-9a-fA-F]{40}$/.test(target))
      return [{ kind: 'transfer', weight: 1, to: target, value_wei: wei }];
    this.#note(where, 'left out: expected a signature, or an address as to');
    return [];
  }

  /** The keys that a call of the setup and of the mix have in common. */
  #call(call: Table, where: string): Table | undefined {
    this.#noteLeftOut(call, CALL_KEYS, where);
    const { signature, value, gas_limit: gasLimit } = call;
    if (call['allow_revert'] === true) {
      this.#note(where, 'its reverts count as failures: one that always reverts takes `expect: reverted`');
    }
    const contract = this.#contractOf(call['to'], where);
    if (contract === undefined || typeof signature !== 'string') {
      this.#note(where, 'left out: expected a contract as to, and a signature');
      return undefined;
    }
    const called = functionOf(signature, where);
    this.#declare(contract, called.declaration);
    const wei = value === undefined ? {} : { value_wei: this.#wei(value, where) };
    return {
      contract,
      function: called.signature,
      args: this.#fuzzed(call, called.parameters, where),
      ...wei,
      ...(typeof gasLimit === 'number' && { gas_limit: gasLimit }),
    };
  }

  #declare(contract: string, declaration: string): void {
    const known = this.#contracts.get(contract) ?? {};
    const abi = listOfTexts(known['abi']);
    if (!abi.includes(declaration)) this.#contracts.set(contract, { ...known, abi: [...abi, declaration] });
  }

  /** `{name}`, or an address, which becomes a contract that exists. */
  #contractOf(to: unknown, where: string): string | undefined {
    const target = this.#text(to);
    const named = /^\{(\w+)\}$/.exec(target)?.[1];
    if (named !== undefined) return this.#contracts.has(named) ? named : undefined;
    if (!/^0x[0-9a-fA-F]{40}$/.test(target)) return undefined;
    this.#note(where, `calls an existing contract, ${target}`);
    return this.#existing(target);
  }

  /** The name of an existing contract: many addresses begin with the same digits. */
  #existing(address: string): string {
    const digits = address.slice(2).toLowerCase();
    const names = [`at_${digits.slice(0, 8)}`, `at_${digits}`] as const;
    const isFree = (name: string): boolean => {
      const known = this.#contracts.get(name);
      return known === undefined || String(known['at']).toLowerCase() === address.toLowerCase();
    };
    const name = names.find(isFree) ?? names[1];
    if (!this.#contracts.has(name)) this.#contracts.set(name, { abi: [], at: address });
    return name;
  }

  #noteLeftOut(table: Table, known: ReadonlySet<string>, where: string): void {
    for (const key of Object.keys(table)) if (!known.has(key)) this.#note(`${where}.${key}`, 'left out');
  }

  #fuzzed({ args, fuzz }: Table, names: readonly string[], where: string): readonly unknown[] {
    const values = [...this.#args(args, where)];
    for (const { param, value, min = '0', max = DEFAULT_MAX } of listOf(fuzz)) {
      const at = names.indexOf(String(param));
      if (value !== undefined)
        this.#note(`${where}.fuzz`, 'random amounts of ether are left out: the value is fixed');
      else if (at < 0) this.#note(`${where}.fuzz`, `no parameter ${String(param)} in the signature`);
      else values[at] = { random: [this.#number(min), this.#number(max)] };
    }
    return values;
  }

  #args(args: unknown, where: string): readonly unknown[] {
    return Array.isArray(args) ? args.map((one: unknown) => this.#argument(one, where)) : [];
  }

  #argument(argument: unknown, where: string): unknown {
    if (Array.isArray(argument)) return argument.map((one: unknown) => this.#argument(one, where));
    if (typeof argument !== 'string') return argument;
    const text = this.#text(argument);
    if (NESTED.test(text)) return itemsOf(text.slice(1, -1)).map((one) => this.#argument(one, where));
    const named = /^\{(\w+)\}$/.exec(text)?.[1];
    if (named === '_sender') return { account: 'self' };
    if (named !== undefined && this.#contracts.has(named)) return { contract: named };
    if (/\{\w+\}/.test(text)) this.#note(where, `the placeholder in ${text.slice(0, 80)} is not replaced`);
    return text === 'true' || text === 'false' ? text === 'true' : text;
  }

  /** Variables of [env] are replaced; contracts and the sender stay. */
  #text(value: unknown): string {
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => this.#env.get(name) ?? whole);
  }

  #number(value: unknown): string {
    const text = this.#text(value);
    return /^(?:\d+|0x[0-9a-fA-F]+)$/.test(text) ? BigInt(text).toString() : text;
  }

  /** `100 eth`, `5 gwei`, or wei. */
  #wei(value: unknown, where: string): string {
    const text = this.#text(value ?? '0').trim();
    const [, digits = '', fraction = '', unit = 'wei'] =
      /^(\d+)(?:\.(\d+))?\s*(eth|ether|gwei|wei)?$/.exec(text) ?? [];
    if (digits === '') {
      this.#note(where, `the amount ${text.slice(0, 40)} is unknown: 0`);
      return '0';
    }
    const scale = unit === 'wei' ? 1n : unit === 'gwei' ? WEI_A_GWEI : WEI_AN_ETHER;
    const part = fraction === '' ? 0n : (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
    return (BigInt(digits) * scale + part).toString();
  }

  #note(where: string, message: string): void {
    this.#notes.push(`${where}: ${message}`);
  }
}

/** The items of a list or a struct: commas inside of brackets and quotes separate none. */
function itemsOf(text: string): readonly string[] {
  const items: string[] = [];
  let [from, depth, quote] = [0, 0, ''];
  for (const [at, character] of [...text.matchAll(/[[\](),"]/g)].map(
    (found) => [found.index, found[0]] as const,
  )) {
    if (character === '"') quote = quote === '' ? '"' : '';
    else if (quote !== '') continue;
    else if ('[('.includes(character)) depth++;
    else if ('])'.includes(character)) depth--;
    else if (depth === 0) {
      items.push(text.slice(from, at));
      from = at + 1;
    }
  }
  if (text.trim() !== '') items.push(text.slice(from));
  return items.map((item) => item.trim().replace(/^"([^]*)"$/, '$1'));
}

/** `mint(address to) returns (bool)`, with or without the word function. Throws SCENARIO_INVALID. */
function functionOf(signature: string, where: string): ContractFunction {
  try {
    return new ContractAbi([]).function(signature.trim());
  } catch (cause) {
    if (!(cause instanceof DomainError)) throw cause;
    throw new DomainError('SCENARIO_INVALID', `${where}.signature: ${cause.message}`, { cause });
  }
}

function listOf(value: unknown): readonly Table[] {
  return Array.isArray(value) ? value.filter(isTable) : [];
}

function listOfTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
