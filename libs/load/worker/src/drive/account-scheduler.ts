import { assert, Fifo } from '#platform/foundation';
import type { NonceLine } from '../transaction/nonce-line.ts';
import type { SignedItem } from '../transaction/open-transaction.ts';

export interface AccountSchedulerOptions {
  /** The line of each account, by its position. */
  readonly lines: readonly NonceLine[];
  readonly stock: AccountStock;
  readonly inflightPerAccount: number;
}

/** The signed transactions of the accounts. */
export interface AccountStock {
  hasNext(position: number): boolean;
  nextOf(position: number): SignedItem | undefined;
  refill(position: number): void;
  /** The listener is called with each account that may have a new transaction. */
  listen(listener: (position: number) => void): void;
}

interface ScheduledAccount {
  readonly position: number;
  readonly line: NonceLine;
  unanswered: number;
  isQueued: boolean;
}

/** The reason why no account can send. */
export type AccountShortage = 'no_account' | 'not_signed';

/** Chooses the next account: of those that can send, the one that has waited longest. */
export class AccountScheduler {
  readonly #stock: AccountStock;
  readonly #inflightMax: number;
  readonly #accounts: readonly ScheduledAccount[];
  readonly #ready = new Fifo<ScheduledAccount>();

  constructor({ lines, stock, inflightPerAccount }: AccountSchedulerOptions) {
    this.#stock = stock;
    this.#inflightMax = inflightPerAccount;
    this.#accounts = lines.map((line, position) => ({ position, line, unanswered: 0, isQueued: false }));
    stock.listen((position) => {
      this.#stocked(position);
    });
  }

  lineOf(position: number): NonceLine {
    const account = this.#accounts[position];
    assert(account !== undefined, 'a position of the partition');
    return account.line;
  }

  /** The next transaction; its account is busy until {@link answered}. */
  next(): SignedItem | undefined {
    for (let account = this.#ready.shift(); account !== undefined; account = this.#ready.shift()) {
      account.isQueued = false;
      if (!this.#canSend(account)) continue;
      const item = this.#stock.nextOf(account.position);
      assert(item !== undefined, 'who can send has something to send');
      if (item.item.usesNonce) assert(account.line.issue() === item.item.nonce, 'signed with the next nonce');
      account.unanswered++;
      this.#queue(account);
      return item;
    }
    return undefined;
  }

  /** Call after a transaction of the account was answered or given up, and its nonce line was updated. */
  answered(position: number): void {
    const account = this.#accounts[position];
    if (account === undefined) return;
    account.unanswered--;
    this.#stock.refill(position);
    this.#queue(account);
  }

  /** Call after a receipt, or the chain's count, has updated the account's nonce line. */
  lineChanged(position: number): void {
    this.#stock.refill(position);
    this.#stocked(position);
  }

  #stocked(position: number): void {
    const account = this.#accounts[position];
    if (account !== undefined) this.#queue(account);
  }

  /** The reason for the last undefined result of {@link next}. */
  get shortage(): AccountShortage {
    const isFree = ({ line, unanswered }: ScheduledAccount): boolean =>
      !line.isPaused && unanswered < this.#inflightMax;
    return this.#accounts.some(isFree) ? 'not_signed' : 'no_account';
  }

  #queue(account: ScheduledAccount): void {
    if (account.isQueued || !this.#canSend(account)) return;
    account.isQueued = true;
    this.#ready.push(account);
  }

  #canSend({ line, unanswered, position }: ScheduledAccount): boolean {
    return !line.isPaused && unanswered < this.#inflightMax && this.#stock.hasNext(position);
  }
}
