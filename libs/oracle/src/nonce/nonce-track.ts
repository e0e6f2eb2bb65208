/**
 * Nonces of one edge's accounts, checked as the feed's transactions come, without a sort or a window.
 *
 * 1. An account begins at the nonce n0 of its start row. In feed order its transactions must then carry
 *    n0, n0 + 1, … The next nonce that is due is all that is kept.
 * 2. A transaction beyond the one that is due is a gap: of the sequencer, or of our sight. It is ours when
 *    the feed skipped a message, or telemetry was dropped, since the account was last seen. What was
 *    dropped is told by an interval that ends later, so a gap waits for the end of its interval before it
 *    is called a violation.
 * 3. One before the one that is due is a duplicate or a regression, unless a reorganisation has undone what
 *    was seen: it goes back on purpose, to a sequence number, and takes back all that was told from there on.
 *    An account that was last seen there goes back with it when it comes again, sooner or later.
 * 4. At the end the nonce in the chain's state must be the one that is due. Where it is beyond, and there is
 *    a receipt for every nonce, the chain did right and the feed did not show it: a gap, with or without a
 *    message after it that tells.
 *
 * What our sight lacks makes an account incomplete: never held, never broken.
 */
import type { GapReason } from '../evidence/verdict.ts';

/** A transaction of an account of ours in the feed. Times are microseconds since 1970. */
export interface Sighting {
  readonly account: number;
  readonly nonce: number;
  readonly receivedUs: number;
  /** Of the feed message that it stands in. */
  readonly sequence: number;
  /** Its hash as text, which only evidence needs. */
  readonly hash: () => string | null;
  readonly blockNumber: number | null;
}

export interface NonceFault {
  readonly kind: 'gap' | 'duplicate' | 'regression' | 'final_count';
  readonly account: number;
  readonly expected: number;
  readonly observed: number;
  readonly hash: string | null;
  readonly blockNumber: number | null;
}

interface PendingGap {
  readonly fault: NonceFault;
  readonly sinceUs: number;
  readonly receivedUs: number;
}

interface AccountNonces {
  due: number;
  /** Transactions seen that each moved `due` by one. */
  seen: number;
  lastSeenUs: number;
  lastSequence: number;
  feedGapsThen: number;
  reorganisationsThen: number;
  incomplete: GapReason | null;
}

export class NonceTrack {
  readonly #accounts: AccountNonces[] = [];
  readonly #onFault: (fault: NonceFault) => void;
  /** The numbers that the feed went back to, in the order in which it did. */
  readonly #reorganisations: number[] = [];
  #pending: PendingGap[] = [];
  #feedGaps = 0;
  #lastDropUs = Number.NEGATIVE_INFINITY;

  constructor(onFault: (fault: NonceFault) => void) {
    this.#onFault = onFault;
  }

  begin(account: number, nonce: number): void {
    this.#accounts[account] = {
      due: nonce,
      seen: 0,
      lastSeenUs: Number.NEGATIVE_INFINITY,
      lastSequence: Number.NEGATIVE_INFINITY,
      feedGapsThen: this.#feedGaps,
      reorganisationsThen: this.#reorganisations.length,
      incomplete: null,
    };
  }

  feedGap(): void {
    this.#feedGaps += 1;
  }

  /** What was told under this number and later is undone. */
  reorganised(sequence: number): void {
    this.#reorganisations.push(sequence);
  }

  see(sighting: Sighting): void {
    const state = this.#accounts[sighting.account];
    if (state === undefined) return;
    if (sighting.nonce === state.due) {
      state.due += 1;
      state.seen += 1;
    } else if (sighting.nonce > state.due) this.#jump(state, sighting);
    else this.#goBack(state, sighting);
    state.lastSeenUs = sighting.receivedUs;
    state.lastSequence = sighting.sequence;
    state.feedGapsThen = this.#feedGaps;
    state.reorganisationsThen = this.#reorganisations.length;
  }

  /** An interval of the edge's own account of itself, in order. */
  interval(endUs: number, dropped: number): void {
    if (dropped > 0) this.#lastDropUs = endUs;
    const ripe = this.#pending.filter(({ receivedUs }) => receivedUs <= endUs);
    if (ripe.length === 0) return;
    this.#pending = this.#pending.filter(({ receivedUs }) => receivedUs > endUs);
    for (const gap of ripe) this.#settle(gap);
  }

  /** No more comes: what waited is settled. Of a lost edge nobody knows whether it dropped something. */
  end(isLost: boolean): void {
    for (const gap of this.#pending.splice(0)) {
      const state = this.#accounts[gap.fault.account];
      if (isLost && state !== undefined) state.incomplete ??= 'edge_lost';
      else this.#settle(gap);
    }
  }

  /** After `end`, with the nonce in the state; executed: there is a receipt for each one up to it. */
  conclude(account: number, { nonce, isExecuted }: { nonce: number; isExecuted: boolean }): void {
    const state = this.#accounts[account];
    if (state === undefined || nonce === state.due || state.incomplete !== null) return;
    if (nonce > state.due) {
      state.incomplete = this.#blindness(state, state.lastSeenUs) ?? (isExecuted ? 'feed_gap' : null);
      if (state.incomplete !== null) return;
    } else if (this.#isUndone(state)) {
      state.incomplete = 'reorganised';
      return;
    }
    const facts = { account, expected: state.due, observed: nonce, hash: null, blockNumber: null };
    this.#onFault({ kind: 'final_count', ...facts });
  }

  /** How many of the account's transactions were seen in the feed, each counted once. */
  seen(account: number): number {
    return this.#accounts[account]?.seen ?? 0;
  }

  incomplete(account: number): GapReason | null {
    return this.#accounts[account]?.incomplete ?? null;
  }

  #jump(state: AccountNonces, { account, nonce, receivedUs, hash, blockNumber }: Sighting): void {
    if (this.#feedGaps > state.feedGapsThen) state.incomplete ??= 'feed_gap';
    else {
      const facts = { account, expected: state.due, observed: nonce, hash: hash(), blockNumber };
      this.#pending.push({ fault: { kind: 'gap', ...facts }, sinceUs: state.lastSeenUs, receivedUs });
    }
    state.due = nonce + 1;
    state.seen += 1;
  }

  #goBack(state: AccountNonces, { account, nonce, hash, blockNumber }: Sighting): void {
    if (this.#isUndone(state)) {
      state.seen -= state.due - nonce - 1;
      state.due = nonce + 1;
      return;
    }
    const kind = nonce === state.due - 1 ? 'duplicate' : 'regression';
    this.#onFault({ kind, account, expected: state.due, observed: nonce, hash: hash(), blockNumber });
  }

  #settle({ fault, sinceUs }: PendingGap): void {
    const state = this.#accounts[fault.account];
    if (state !== undefined && this.#lastDropUs >= sinceUs) state.incomplete ??= 'events_dropped';
    else this.#onFault(fault);
  }

  /** Whether the feed has gone back since, to where the account was last seen or before. */
  #isUndone({ lastSequence, reorganisationsThen }: AccountNonces): boolean {
    return this.#reorganisations.slice(reorganisationsThen).some((sequence) => sequence <= lastSequence);
  }

  /** Why a transaction since then may have escaped us, if any may have. */
  #blindness(state: AccountNonces, sinceUs: number): GapReason | null {
    if (this.#feedGaps > state.feedGapsThen) return 'feed_gap';
    return this.#lastDropUs >= sinceUs ? 'events_dropped' : null;
  }
}
