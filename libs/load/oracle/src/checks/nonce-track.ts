/**
 * Nonces of one edge's accounts, checked as the feed's transactions come, without a sort or a window.
 *
 * 1. An account begins at the nonce n0 of its start row. In feed order its transactions must then carry
 *    n0, n0 + 1, … What is kept is the next that is due, and what is missing before it.
 * 2. A transaction beyond the one that is due is a gap: of the sequencer, or of our sight. It is ours when
 *    the feed skipped a message, or telemetry was dropped, since the account was last seen, or when somebody
 *    else uses the account. What was dropped is told by an interval that ends later, and who else sends is
 *    told by blocks; so a gap waits for the end of its interval, and for the receipt of what came after it,
 *    before it is called a violation.
 * 3. One before the one that is due is a duplicate or a regression, unless a reorganisation has undone what
 *    was seen: it goes back on purpose, to a sequence number, and takes back all that was told from there on.
 *    An account that was last seen there goes back with it when it comes again, sooner or later. A message
 *    that comes late, under a number that was left out, may fill what was missing, and nothing else.
 * 4. At the end the nonce in the chain's state must be the one that is due. Where it is beyond, and there is
 *    a receipt for every nonce, the chain did right and the feed did not show it: a gap, with or without a
 *    message after it that tells. Where it is before, and the target holds some for pending, the feed may be
 *    ahead of the block at which the state was read: nobody knows.
 *
 * What our sight lacks makes an account incomplete: never held, never broken.
 */
import type { GapReason, JsonRpcCall, ViolationFacts } from '../evidence/verdict.ts';
import { SeenNonces } from './seen-nonces.ts';

/** A transaction of an account of ours in the feed. Times are microseconds since 1970. */
interface Sighting {
  readonly account: number;
  readonly nonce: number;
  readonly receivedUs: number;
  /** Of the feed message that it stands in. */
  readonly sequence: number;
  /** Its message came under a number that had been left out. */
  readonly isLate: boolean;
  /** Its hash as text, which only evidence needs. */
  readonly hash: () => string | null;
  readonly blockNumber: number | null;
}

export interface NonceFault {
  readonly kind: 'gap' | 'duplicate' | 'regression' | 'final_count' | 'executed_twice';
  readonly account: number;
  readonly expected: number;
  readonly observed: number;
  readonly hash: string | null;
  readonly blockNumber: number | null;
}

/** What is known of accounts beside the feed. */
export abstract class AccountFacts {
  /** What makes whatever is odd about the account's nonces nobody's fault; null when nothing does. */
  abstract excuseOf(account: number): GapReason | null;
  /** Whether blocks have taken back something of it, if for a time. */
  abstract wasReorganised(account: number): boolean;
  /** Whether blocks have been read up to the one that executed this nonce. */
  abstract isExecuted(account: number, nonce: number): boolean;
  /** Whether it has transactions that the target has accepted, and that still wait there. */
  abstract isPending(account: number): boolean;
}

interface PendingGap {
  readonly fault: NonceFault;
  /** When the account was seen before; undefined: never. */
  readonly sinceUs: number | undefined;
  readonly receivedUs: number;
}

interface AccountNonces {
  readonly nonces: SeenNonces;
  lastSeenUs: number | undefined;
  lastSequence: number | undefined;
  feedGapsThen: number;
  reorganisationsThen: number;
  /** Why something may be missing. */
  blindness: GapReason | null;
  /** Something was shown again, and nobody knows whether that is right. */
  doubt: GapReason | null;
  incomplete: GapReason | null;
}

export class NonceTrack {
  readonly #accounts: AccountNonces[] = [];
  readonly #facts: AccountFacts;
  readonly #onFault: (fault: NonceFault) => void;
  /** The numbers that the feed went back to, in the order in which it did. */
  readonly #reorganisations: number[] = [];
  #pending: PendingGap[] = [];
  #feedGaps = 0;
  /** The end of the latest interval in which something was dropped. */
  #lastDropUs: number | undefined;
  #endUs = Number.NEGATIVE_INFINITY;

  constructor(facts: AccountFacts, onFault: (fault: NonceFault) => void) {
    this.#facts = facts;
    this.#onFault = onFault;
  }

  begin(account: number, nonce: number): void {
    this.#accounts[account] = {
      nonces: new SeenNonces(nonce),
      lastSeenUs: undefined,
      lastSequence: undefined,
      feedGapsThen: this.#feedGaps,
      reorganisationsThen: this.#reorganisations.length,
      blindness: null,
      doubt: null,
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
    if (sighting.nonce < state.nonces.due && this.#isUndone(state)) state.nonces.cut(sighting.nonce);
    this.#place(state, sighting);
    if (sighting.isLate) return;
    state.lastSeenUs = sighting.receivedUs;
    state.lastSequence = sighting.sequence;
    state.feedGapsThen = this.#feedGaps;
    state.reorganisationsThen = this.#reorganisations.length;
  }

  /** An interval of the edge's own account of itself, in order. */
  interval(endUs: number, dropped: number): void {
    if (dropped > 0) this.#lastDropUs = endUs;
    this.#endUs = Math.max(this.#endUs, endUs);
    this.settleRipe();
  }

  /** Settles the gaps of which all is known that may excuse them. */
  settleRipe(): void {
    if (this.#pending.length === 0) return;
    const isRipe = ({ fault, receivedUs }: PendingGap): boolean =>
      receivedUs <= this.#endUs && this.#facts.isExecuted(fault.account, fault.observed);
    const ripe = this.#pending.filter(isRipe);
    if (ripe.length === 0) return;
    this.#pending = this.#pending.filter((gap) => !isRipe(gap));
    for (const gap of ripe) this.#settle(gap);
  }

  /** No more comes: what waited is settled. Of a lost edge nobody knows whether it dropped something. */
  end(isLost: boolean): void {
    for (const gap of this.#pending.splice(0)) {
      const state = this.#accounts[gap.fault.account];
      if (isLost && state !== undefined) state.blindness ??= 'edge_lost';
      else this.#settle(gap);
    }
  }

  /** After `end`, with the nonce in the state; executed: there is a receipt for each one up to it. */
  conclude(account: number, { nonce, isExecuted }: { nonce: number; isExecuted: boolean }): void {
    const state = this.#accounts[account];
    if (state === undefined) return;
    const hole = state.nonces.isWhole ? null : state.blindness;
    state.incomplete = this.#facts.excuseOf(account) ?? state.doubt ?? hole;
    const { due } = state.nonces;
    if (nonce === due || state.incomplete !== null) return;
    state.incomplete =
      nonce > due
        ? (this.#blindness(state, state.lastSeenUs) ?? (isExecuted ? 'feed_gap' : null))
        : this.#undoneBy(state, account);
    if (state.incomplete !== null) return;
    const facts = { account, expected: due, observed: nonce, hash: null, blockNumber: null };
    this.#onFault({ kind: 'final_count', ...facts });
  }

  /** How many of the account's transactions were seen in the feed, each counted once. */
  seen(account: number): number {
    return this.#accounts[account]?.nonces.count ?? 0;
  }

  /** Why not all that the account sent was seen, as far as is known by now. */
  incomplete(account: number): GapReason | null {
    const state = this.#accounts[account];
    if (state === undefined) return null;
    return state.incomplete ?? (state.nonces.isWhole ? null : state.blindness);
  }

  #place(state: AccountNonces, sighting: Sighting): void {
    const { account, nonce, isLate, hash, blockNumber } = sighting;
    const { due } = state.nonces;
    const place = state.nonces.see(nonce);
    if (place === 'next' || (place === 'fills' && isLate)) return;
    const facts = { account, expected: due, observed: nonce, blockNumber };
    if (place === 'ahead') this.#jump(state, { ...facts, kind: 'gap', hash: hash() }, sighting);
    else {
      if (this.#facts.wasReorganised(account)) {
        state.doubt = 'reorganised';
        return;
      }
      const kind = nonce === due - 1 ? 'duplicate' : 'regression';
      this.#onFault({ ...facts, kind, hash: hash() });
    }
  }

  #jump(state: AccountNonces, fault: NonceFault, { receivedUs }: Sighting): void {
    if (this.#feedGaps > state.feedGapsThen) state.blindness ??= 'feed_gap';
    else this.#pending.push({ fault, sinceUs: state.lastSeenUs, receivedUs });
  }

  #settle({ fault, sinceUs }: PendingGap): void {
    const state = this.#accounts[fault.account];
    if (state === undefined || this.#facts.excuseOf(fault.account) !== null) return;
    if (this.#hasDroppedSince(sinceUs)) state.blindness ??= 'events_dropped';
    else if (this.#facts.wasReorganised(fault.account)) state.blindness ??= 'reorganised';
    else if (!state.nonces.isWhole) this.#onFault(fault);
  }

  /** Why what was seen may not be in the state, if anything may be the reason. */
  #undoneBy(state: AccountNonces, account: number): GapReason | null {
    if (this.#isUndone(state) || this.#facts.wasReorganised(account)) return 'reorganised';
    return this.#facts.isPending(account) ? 'pending_transactions' : null;
  }

  /** Whether the feed has gone back since, to where the account was last seen or before. */
  #isUndone({ lastSequence, reorganisationsThen }: AccountNonces): boolean {
    if (lastSequence === undefined) return false;
    return this.#reorganisations.slice(reorganisationsThen).some((sequence) => sequence <= lastSequence);
  }

  /** Why a transaction since then may have escaped us, if any may have. */
  #blindness(state: AccountNonces, sinceUs: number | undefined): GapReason | null {
    if (this.#feedGaps > state.feedGapsThen) return 'feed_gap';
    return this.#hasDroppedSince(sinceUs) ? 'events_dropped' : null;
  }

  /** Never before: since the start. */
  #hasDroppedSince(sinceUs: number | undefined): boolean {
    return this.#lastDropUs !== undefined && (sinceUs === undefined || this.#lastDropUs >= sinceUs);
  }
}

/** The fault with what an engineer needs to see it again. */
export function nonceViolation(
  edgeId: string,
  account: string,
  { kind, expected, observed, hash, blockNumber }: NonceFault,
): ViolationFacts {
  const calls: JsonRpcCall[] = [{ method: 'eth_getTransactionCount', params: [account, 'latest'] }];
  if (hash !== null) calls.unshift({ method: 'eth_getTransactionByHash', params: [hash] });
  return {
    kind,
    edgeId,
    account,
    hash,
    nonce: observed,
    blockNumber,
    expected: `nonce ${expected}`,
    observed: `nonce ${observed}`,
    receipt: null,
    calls,
  };
}
