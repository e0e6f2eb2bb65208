/**
 * The nonces of one account: the next one, and the outcomes of the sent ones.
 *
 *   take ──► sent ──► accepted ──► consumed | free     accepted: the sequencer answered with the hash
 *              ├────► doubted ───► consumed | free     doubted: no answer, or an inconclusive one
 *              └────► free                             free: reused before any new one
 *
 * Invariants:
 * - A nonce is reused only after an answer to it, or a count of the chain, by which it is not consumed.
 * - While a nonce is doubted, or an answer contradicts the known state, the line is paused: no nonce is
 *   issued. A paused line without unanswered transactions needs the chain's count.
 * - An inclusion overrides any answer, since sequencers may include a transaction after an error; all nonces
 *   below an included one are consumed.
 */
export class NonceLine {
  #next: number;
  /** Free nonces in ascending order. */
  readonly #free: number[] = [];
  readonly #open = new Map<number, 'sent' | 'accepted' | 'doubted'>();
  #unanswered = 0;
  #doubts = 0;
  #contradiction: 'low' | 'high' | undefined;
  #consumed: number;

  /** `next` is the result of `eth_getTransactionCount`. */
  constructor(next: number) {
    this.#next = next;
    this.#consumed = next;
  }

  /** The number of sent nonces that are neither answered nor doubted. */
  get unanswered(): number {
    return this.#unanswered;
  }

  get isPaused(): boolean {
    return this.#contradiction !== undefined || this.#doubts > 0;
  }

  /** Whether the chain's count is needed: all answers have arrived, and the state is unclear. */
  get wantsCount(): boolean {
    return this.isPaused && this.#unanswered === 0;
  }

  /** All nonces below it are in blocks. */
  get consumed(): number {
    return this.#consumed;
  }

  /** The next result of {@link issue}. */
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

  /** The sequencer accepted it. */
  accepted(nonce: number): void {
    if (this.#close(nonce)) this.#open.set(nonce, 'accepted');
  }

  /** It is in the feed or in a block. */
  included(nonce: number): void {
    this.#close(nonce);
    this.#consumedBelow(nonce + 1);
  }

  /** The sequencer rejected it for a reason that leaves the nonce unchanged. */
  rejected(nonce: number): void {
    if (this.#close(nonce)) this.#release(nonce);
  }

  /**
   * The sequencer rejected it because its count for the account differs: the nonce is too `low` or too
   * `high`.
   */
  contradicted(nonce: number, is: 'low' | 'high'): void {
    if (this.#close(nonce) && is === 'high') this.#release(nonce);
    if (this.#contradiction !== 'high') this.#contradiction = is;
  }

  /** It is unknown whether the sequencer accepted it. */
  doubted(nonce: number): void {
    if (!this.#close(nonce)) return;
    this.#open.set(nonce, 'doubted');
    this.#doubts++;
  }

  /**
   * The chain has consumed all nonces below `count`. The others are free if `isLate` (no transaction can
   * still arrive), or if the sequencer has rejected a nonce as too high.
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

  /** Removes the state of a nonce; false if there was none. */
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
