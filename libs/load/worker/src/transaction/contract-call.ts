import {
  type ArgumentSource,
  ContractAbi,
  type ContractFunction,
  isConstant,
  resolveArgument,
  toHex,
} from '#load/chain';
import { assert, DomainError } from '#platform/foundation';
import type { CallPlan } from '../plan/edge-plan.ts';
import type { AddressBook } from '../plan/account-keys.ts';
import type { ContractSetup } from '../plan/contract-setup.ts';

/** How the data of the calls of one entry are made. Can be posted to a thread. */
export interface CallTemplate {
  /** `function mint(address to, uint256 id)` */
  readonly declaration: string;
  /** The arguments, without contracts and results: only what differs between transactions is computed. */
  readonly args: readonly unknown[];
  /** Accounts of the whole run. */
  readonly accounts: number;
}

/** The account and nonce of a transaction. */
export interface TransactionPlace {
  readonly book: AddressBook;
  readonly position: number;
  readonly nonce: number;
}

/** Maximum number of draws, each of 32 bits, for one number of 256 bits. */
const DRAWS_MAX = 9;
const DRAW_BITS = 32n;

/** The contracts' addresses and the results of the setup are the same for every transaction. */
export function callTemplate(
  { declaration, args }: CallPlan,
  setup: ContractSetup,
  accounts: number,
): CallTemplate {
  return { declaration, accounts, args: withFixedValues(args, setup) };
}

/** The arguments, in which contracts and results are replaced by their values. */
export function withFixedValues(args: readonly unknown[], setup: ContractSetup): readonly unknown[] {
  const fixed: Pick<ArgumentSource, 'contract' | 'result'> = {
    contract: (name) => addressOfContract(setup, name),
    result: (step, index) => {
      const value = setup.results[step]?.[index];
      if (value !== undefined) return value;
      throw new DomainError('INVALID_REQUEST', `expected result ${index} of step ${step}, there is none`);
    },
  };
  return args.map((one) => withFixed(one, fixed));
}

/** The value of an argument at a place. Throws INVALID_REQUEST for a computed value that is none. */
export function computedValue(argument: unknown, place: TransactionPlace, accounts: number): unknown {
  return resolveArgument(argument, new PlaceSource(place, accounts));
}

export function addressOfContract({ contracts }: ContractSetup, name: string): string {
  const address = contracts[name];
  if (address !== undefined) return address;
  throw new DomainError('INVALID_REQUEST', `expected a contract ${name}, the run has none`);
}

/** Constant arguments are resolved; others keep what is computed in them. */
function withFixed(argument: unknown, fixed: Pick<ArgumentSource, 'contract' | 'result'>): unknown {
  if (isConstant(argument)) return resolveArgument(argument, { ...NOTHING_COMPUTED, ...fixed });
  if (Array.isArray(argument)) return argument.map((one: unknown) => withFixed(one, fixed));
  if (typeof argument !== 'object' || argument === null) return argument;
  return Object.fromEntries(Object.entries(argument).map(([name, one]) => [name, withFixed(one, fixed)]));
}

const NOTHING_COMPUTED: ArgumentSource = {
  self: '',
  next: '',
  accountAt: () => '',
  count: 0n,
  drawBelow: () => 0n,
  contract: () => '',
  result: () => undefined,
};

/** Encodes the calls of a template. */
export class CallEncoder {
  readonly #template: CallTemplate;
  readonly #function: ContractFunction;
  /** The data, if it is the same for every transaction. */
  readonly #data: Uint8Array | undefined;

  constructor(template: CallTemplate) {
    this.#template = template;
    const name = /^function\s+([\w$]+)/.exec(template.declaration)?.[1];
    assert(name !== undefined, 'a declaration of a function');
    this.#function = new ContractAbi([template.declaration]).function(name);
    if (template.args.every(isConstant)) this.#data = this.#function.encode(template.args);
  }

  /** Throws INVALID_REQUEST for computed values that do not fit. */
  dataFor(place: TransactionPlace): Uint8Array {
    if (this.#data !== undefined) return this.#data;
    const { args, accounts } = this.#template;
    const source = new PlaceSource(place, accounts);
    return this.#function.encode(args.map((one) => resolveArgument(one, source)));
  }
}

/** What a transaction's account and nonce determine: signing it again gives the same values. */
class PlaceSource implements ArgumentSource {
  readonly #place: TransactionPlace;
  readonly #accounts: number;
  #word: number;

  constructor(place: TransactionPlace, accounts: number) {
    const { book, position, nonce } = place;
    this.#place = place;
    this.#accounts = accounts;
    this.#word = scrambled((book.first + position) ^ scrambled(nonce)) | 1;
  }

  get self(): string {
    return this.accountAt(this.#place.position);
  }

  get next(): string {
    return this.accountAt(this.#place.position + 1);
  }

  get count(): bigint {
    const { book, position, nonce } = this.#place;
    return BigInt(nonce) * BigInt(this.#accounts) + BigInt(book.first + position);
  }

  accountAt(position: number): string {
    const { book } = this.#place;
    return toHex(book.at(position % book.count));
  }

  /** The bias is below 2^-32. */
  drawBelow(end: bigint): bigint {
    let drawn = this.#draw();
    for (let size = 1n << DRAW_BITS, draws = 1; size < end << DRAW_BITS && draws < DRAWS_MAX; draws++) {
      drawn = (drawn << DRAW_BITS) | this.#draw();
      size <<= DRAW_BITS;
    }
    return drawn % end;
  }

  contract(name: string): string {
    throw new DomainError('INVALID_REQUEST', `expected the address of ${name} before the first call`);
  }

  result(step: string): unknown {
    throw new DomainError('INVALID_REQUEST', `expected the result of ${step} before the first call`);
  }

  #draw(): bigint {
    this.#word = scrambled(this.#word);
    return BigInt(this.#word);
  }
}

/** The finaliser of splitmix32: every bit of the word changes half the bits of the result. */
export function scrambled(input: number): number {
  let word = (input + 0x9e3779b9) >>> 0;
  word = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
  word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
  return (word ^ (word >>> 15)) >>> 0;
}
