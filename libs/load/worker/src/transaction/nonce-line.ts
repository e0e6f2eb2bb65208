/**
 * The nonces of one account: which is sent next, and what became of those that were sent.
 *
 *   take ──► sent ──► accepted ──► consumed | free     accepted: the sequencer answered with the hash
 *              ├────► doubted ───► consumed | free     doubted: no answer, or one that says nothing
 *              └────► free                             free: taken again before any new one
 *
 * What holds at all times:
 * - A nonce is taken again only after an answer to it, or a count of the chain, has said that it is not
 *   consumed.
 * - While a nonce is doubted, or an answer contradicts what we know, the line is paused: nothing is taken. A
 *   paused line whose transactions are all answered wants the chain's count.
 * - An inclusion is believed whatever was answered, since sequencers may answer an error for what they then
 *   include; and with a nonce all lower ones are consumed.
 */
export class NonceLine {
  #next: number;
  /** Ascending. */
  readonly #free: number[] = [];
  readonly #open = new Map<number, 'sent' | 'accepted' | 'doubted'>();
  #unanswered = 0;
  #doubts = 0;
  #contradiction: 'low' | 'high' | undefined;
  #consumed: number;

  /** `next` as `eth_getTransactionCount` gives it. */
  constructor(next: number) {
    this.#next = next;
    this.#consumed = next;
  }

  /** Nonces that are sent, and neither answered nor doubted. */
  get unanswered(): number {
    return this.#unanswered;
  }

  get isPaused(): boolean {
    return this.#contradiction !== undefined || this.#doubts > 0;
  }

  /** Whether the chain's count would help now: every answer has come, and something is unclear. */
  get wantsCount(): boolean {
    return this.isPaused && this.#unanswered === 0;
  }

  /** Every nonce below it stands in a block. */
  get consumed(): number {
    return this.#consumed;
  }

  /** What {@link issue} gives next. */
  get next(): number {
    return this.#free[0] ?? this.#next;
  }

  /** The next nonces in order, for signing ahead. */
  upcoming(count: number): readonly number[] {
    const free = this.#free.slice(0, count);
    return [...free, ...Array.from({ length: count - free.length }, (_, ahead) => this.#next + ahead)];
  }

  issue(): number {
    const nonce = this.#free.shift() ?? this.#next++;
    this.#open.set(nonce, 'sent');
    this.#unanswered++;
    return nonce;
  }

  /** The sequencer took it. */
  accepted(nonce: number): void {
    if (this.#close(nonce)) this.#open.set(nonce, 'accepted');
  }

  /** It stands in the feed or in a block. */
  included(nonce: number): void {
    this.#close(nonce);
    this.#consumedBelow(nonce + 1);
  }

  /** The sequencer refused it for a reason that leaves the nonce as it was. */
  rejected(nonce: number): void {
    if (this.#close(nonce)) this.#release(nonce);
  }

  /** The sequencer refused it because the account is further than we know: the nonce is `low`. Or `high`. */
  contradicted(nonce: number, is: 'low' | 'high'): void {
    if (this.#close(nonce) && is === 'high') this.#release(nonce);
    if (this.#contradiction !== 'high') this.#contradiction = is;
  }

  /** Nobody knows whether it was taken. */
  doubted(nonce: number): void {
    if (!this.#close(nonce)) return;
    this.#open.set(nonce, 'doubted');
    this.#doubts++;
  }

  /**
   * The chain has consumed all nonces below `count`. Those at and above it are free when `isLate` (nothing
   * can be on its way any more), or when the sequencer itself has called a nonce too high.
   */
  counted(count: number, isLate: boolean): void {
    this.#consumedBelow(count);
    if (isLate || this.#contradiction === 'high') this.#giveUpUnseen();
    this.#contradiction = undefined;
  }

  #consumedBelow(count: number): void {
    for (const [nonce, state] of this.#open) if (nonce < count && state !== 'sent') this.#close(nonce);
    while (this.#free[0] !== undefined && this.#free[0] < count) this.#free.shift();
    this.#next = Math.max(this.#next, count);
    this.#consumed = Math.max(this.#consumed, count);
  }

  #giveUpUnseen(): void {
    for (const [nonce, state] of [...this.#open]) {
      if (state !== 'sent' && this.#close(nonce)) this.#release(nonce);
    }
  }

  /** Ends what is known of a nonce; false when nothing was. */
  #close(nonce: number): boolean {
    const state = this.#open.get(nonce);
    if (state === 'sent') this.#unanswered--;
    if (state === 'doubted') this.#doubts--;
    return this.#open.delete(nonce);
  }

  #release(nonce: number): void {
    const at = this.#free.findIndex((other) => other > nonce);
    this.#free.splice(at < 0 ? this.#free.length : at, 0, nonce);
  }
}
