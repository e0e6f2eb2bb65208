import { fromHex, toHex, toQuantity } from '#load/chain';
import { assert } from '#platform/foundation';
import type { AddressBook } from '../plan/account-keys.ts';
import type { ContractSetup } from '../plan/contract-setup.ts';
import type { ReadPlan } from '../plan/read-plan.ts';
import {
  addressOfContract,
  CallEncoder,
  callTemplate,
  computedValue,
  type TransactionPlace,
  withFixedValues,
} from '../transaction/contract-call.ts';

export interface ReadRequestsOptions {
  readonly plans: readonly ReadPlan[];
  readonly setup: ContractSetup;
  readonly book: AddressBook;
  /** Accounts of the whole run. */
  readonly accounts: number;
  /** The newest block that was read. */
  readonly head: () => number;
}

type ParamsOf = (count: number) => readonly unknown[];

const METHODS = { balance: 'eth_getBalance', call: 'eth_call', logs: 'eth_getLogs' } as const;
const BLOCKS_DEFAULT = 10;
const LATEST = 'latest';

/** The JSON-RPC requests of the reads. Throws INVALID_REQUEST if the setup lacks what they need. */
export class ReadRequests {
  readonly plans: readonly ReadPlan[];
  readonly #options: ReadRequestsOptions;
  readonly #params: readonly ParamsOf[];

  constructor(options: ReadRequestsOptions) {
    this.plans = options.plans;
    this.#options = options;
    this.#params = options.plans.map((plan) => this.#paramsOf(plan));
  }

  nameOf(read: number): string {
    return this.#planOf(read).name;
  }

  methodOf(read: number): string {
    const { kind, method = '' } = this.#planOf(read);
    return kind === 'method' ? method : METHODS[kind];
  }

  /** The request with this id, which also counts the reads: computed values differ between them. */
  body(read: number, id: number): Uint8Array {
    const request = { jsonrpc: '2.0', id, method: this.methodOf(read), params: this.#params[read]?.(id) };
    return Buffer.from(JSON.stringify(request, asQuantity));
  }

  #planOf(read: number): ReadPlan {
    const plan = this.plans[read];
    assert(plan !== undefined, 'a read of the plan');
    return plan;
  }

  #paramsOf({ kind, contract = '', declaration = '', args = [], blocks }: ReadPlan): ParamsOf {
    const { setup, book, accounts, head } = this.#options;
    if (kind === 'balance') return (count) => [toHex(book.at(count % book.count)), LATEST];
    if (kind === 'method') {
      const fixed = withFixedValues(args, setup);
      return (count) => fixed.map((one) => computedValue(one, placeOf(book, count), accounts));
    }
    const to = toHex(fromHex(addressOfContract(setup, contract)));
    if (kind === 'logs') {
      const depth = (blocks ?? BLOCKS_DEFAULT) - 1;
      return () => [{ address: to, fromBlock: toQuantity(Math.max(0, head() - depth)), toBlock: LATEST }];
    }
    const encoder = new CallEncoder(callTemplate({ contract, declaration, args }, setup, accounts));
    return (count) => [{ to, data: toHex(encoder.dataFor(placeOf(book, count))) }, LATEST];
  }
}

function placeOf(book: AddressBook, count: number): TransactionPlace {
  return { book, position: count % book.count, nonce: Math.floor(count / book.count) };
}

function asQuantity(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? toQuantity(value) : value;
}
