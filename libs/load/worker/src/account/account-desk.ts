import { assert } from '#platform/foundation';
import type { NonceLine } from '../nonce/nonce-line.ts';
import { Fifo } from '../queue/fifo.ts';
import type { SignedItem } from '../signing/signed-transaction.ts';

export interface AccountDeskOptions {
  /** By the account's position. */
  readonly lines: readonly NonceLine[];
  readonly stock: AccountStock;
  readonly inflightPerAccount: number;
}

/** What accounts have ready to be sent. */
export interface AccountStock {
  hasNext(position: number): boolean;
  take(position: number): SignedItem | undefined;
  refill(position: number): void;
}

interface Seat {
  readonly position: number;
  readonly line: NonceLine;
  unanswered: number;
  isQueued: boolean;
}

/** Why no account can send now. */
export type DeskShortage = 'no_account' | 'not_signed';

/** Chooses who sends next: of the accounts that can, the one that has waited longest. */
export class AccountDesk {
  readonly #stock: AccountStock;
  readonly #inflightMax: number;
  readonly #seats: readonly Seat[];
  readonly #ready = new Fifo<Seat>();

  constructor({ lines, stock, inflightPerAccount }: AccountDeskOptions) {
    this.#stock = stock;
    this.#inflightMax = inflightPerAccount;
    this.#seats = lines.map((line, position) => ({ position, line, unanswered: 0, isQueued: false }));
  }

  lineOf(position: number): NonceLine {
    const seat = this.#seats[position];
    assert(seat !== undefined, 'a position of the partition');
    return seat.line;
  }

  /** The next transaction; the account is engaged until {@link answered}. */
  take(): SignedItem | undefined {
    for (let seat = this.#ready.shift(); seat !== undefined; seat = this.#ready.shift()) {
      seat.isQueued = false;
      if (!this.#canSend(seat)) continue;
      const item = this.#stock.take(seat.position);
      assert(item !== undefined, 'who can send has something to send');
      if (item.item.usesNonce) assert(seat.line.take() === item.item.nonce, 'signed with the next nonce');
      seat.unanswered++;
      this.#queue(seat);
      return item;
    }
    return undefined;
  }

  /** One of its transactions is answered, or given up. The line has been told what the answer was. */
  answered(position: number): void {
    const seat = this.#seats[position];
    if (seat === undefined) return;
    seat.unanswered--;
    this.#stock.refill(position);
    this.#queue(seat);
  }

  /** Something has changed that may let the account send. */
  changed(position: number): void {
    const seat = this.#seats[position];
    if (seat !== undefined) this.#queue(seat);
  }

  /** Why {@link take} gave nothing. */
  get shortage(): DeskShortage {
    const isFree = ({ line, unanswered }: Seat): boolean => !line.isPaused && unanswered < this.#inflightMax;
    return this.#seats.some(isFree) ? 'not_signed' : 'no_account';
  }

  #queue(seat: Seat): void {
    if (seat.isQueued || !this.#canSend(seat)) return;
    seat.isQueued = true;
    this.#ready.push(seat);
  }

  #canSend({ line, unanswered, position }: Seat): boolean {
    return !line.isPaused && unanswered < this.#inflightMax && this.#stock.hasNext(position);
  }
}
