import { assert } from '#platform/foundation';
import type { AddressBook } from '../plan/account-keys.ts';
import type { LoadStage } from '../plan/edge-plan.ts';
import type { Blueprint } from '../transaction/blueprint.ts';
import type { Intent, OpenTransaction } from '../transaction/open-transaction.ts';
import type { RowContext, SentValue } from './event-rows.ts';

/** The position without a chosen account. */
const NO_ACCOUNT = new Uint8Array(20);

export interface RunFactsOptions {
  readonly stages: readonly LoadStage[];
  readonly blueprints: readonly Blueprint[];
  readonly book: AddressBook;
  readonly nonces: readonly number[];
}

/** The facts of a run that its rows contain. */
export class RunFacts {
  readonly stages: readonly LoadStage[];
  readonly #blueprints: readonly Blueprint[];
  readonly #book: AddressBook;

  /** The nonce of each account before its first transaction. */
  readonly #nonces: readonly number[];

  constructor({ stages, blueprints, book, nonces }: RunFactsOptions) {
    this.stages = stages;
    this.#blueprints = blueprints;
    this.#book = book;
    this.#nonces = nonces;
  }

  /** The nonce of an account before its first transaction; undefined if it is not known. */
  firstNonceOf(position: number): number | undefined {
    return this.#nonces[position];
  }

  contextOf({ signed, intent }: OpenTransaction): RowContext {
    const { entry, position } = signed.item;
    return {
      blueprint: this.#blueprintOf(entry),
      account: this.#book.at(position),
      isExcluded: this.#isExcluded(intent),
    };
  }

  /** Values for a transaction without a chosen account and entry of the mix. */
  unsentContext(intent: Intent): Pick<RowContext, 'account' | 'isExcluded'> {
    return { account: NO_ACCOUNT, isExcluded: this.#isExcluded(intent) };
  }

  /** The address of an account of the partition. */
  accountOf(position: number): Uint8Array {
    return this.#book.at(position);
  }

  /** The receiver and the amount. */
  sentBy({ signed }: OpenTransaction): SentValue {
    const { entry, position } = signed.item;
    const { token, receiver, value } = this.#blueprintOf(entry);
    const to = receiver === 'ring' ? this.#book.next(position) : receiver;
    if (token !== null) return { to: token, valueWei: 0n, tokenTo: to, tokenUnits: value };
    return { to, valueWei: value, tokenTo: null, tokenUnits: null };
  }

  #blueprintOf(entry: number): Blueprint {
    const blueprint = this.#blueprints[entry];
    assert(blueprint !== undefined, 'an entry of the mix');
    return blueprint;
  }

  #isExcluded({ stage }: Intent): boolean {
    return this.stages[stage]?.exclude === true;
  }
}
