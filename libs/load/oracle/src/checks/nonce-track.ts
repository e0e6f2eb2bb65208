/**
 * Checks the nonces of one edge's accounts in the order of the feed, without sorting or a window.
 *
 * 1. An account starts at the nonce n0 of its start row. In feed order, its transactions must then have the
 *    nonces n0, n0 + 1, … The track keeps the next expected nonce and the missing ranges before it.
 * 2. A transaction above the expected nonce is a gap, either of the sequencer or of the observation. It is a
 *    gap of the observation if the feed skipped a message or telemetry was dropped since the account was last
 *    seen, or if another sender uses the account. Drops are reported by an interval that ends later, and
 *    other senders by blocks; so a gap is reported as a violation only after the end of its interval and the
 *    receipt of the transaction after it.
 * 3. A transaction below the expected nonce is a duplicate or a regression, unless a reorganisation has
 *    undone the earlier one: it returns to a sequence number and reverts everything from there on. An account
 *    last seen in the reverted part is reset when it is seen again, sooner or later. A late message, under a
 *    skipped number, may only fill missing nonces.
 * 4. At the end, the nonce in the chain's state must be the expected one. If it is higher, and every nonce
 *    has a receipt, the chain is correct and the feed is incomplete: a gap, with or without a later message
 *    that shows it. If it is lower, and the target has pending transactions, the feed may be ahead of the
 *    block at which the state was read: the result is undecided.
 *
 * Gaps of the observation make an account incomplete: neither passed nor failed.
 */
import type { GapReason, JsonRpcCall, ViolationFacts } from '../evidence/verdict.ts';
import { SeenNonces } from './seen-nonces.ts';

/** A transaction of one of the edge's accounts in the feed. Times are microseconds since 1970. */
interface Sighting {
  readonly account: number;
  readonly nonce: number;
  readonly receivedUs: number;
  /** Sequence number of its feed message. */
  readonly sequence: number;
  /** Whether its message arrived late, under a skipped number. */
  readonly isLate: boolean;
  /** Its hash as text; only needed for evidence. */
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

/** Facts about accounts from sources other than the feed. */
export abstract class AccountFacts {
  /** A reason that excuses irregular nonces of the account; null if there is none. */
  abstract excuseOf(account: number): GapReason | null;
  /** Whether a reorganisation has reverted any of its transactions, even temporarily. */
  abstract wasReorganised(account: number): boolean;
  /** Whether the blocks up to the one that executed this nonce have been read. */
  abstract isExecuted(account: number, nonce: number): boolean;
  /** Whether it has accepted transactions that are still pending at the target, or undecided. */
  abstract isPending(account: number): boolean;
}

interface PendingGap {
  readonly fault: NonceFault;
  /** The previous sighting of the account; undefined if there is none. */
  readonly sinceUs: number | undefined;
  readonly receivedUs: number;
}

interface AccountNonces {
  readonly nonces: SeenNonces;
  lastSeenUs: number | undefined;
  lastSequence: number | undefined;
  feedGapsThen: number;
  reorganisationsThen: number;
  /** Why a transaction may be missing. */
  gapReason: GapReason | null;
  /** Whether a transaction was repeated, with an undecided result. */
  doubt: GapReason | null;
  incomplete: GapReason | null;
}

export class NonceTrack {
  readonly #accounts: AccountNonces[] = [];
  readonly #facts: AccountFacts;
  readonly #onFault: (fault: NonceFault) => void;
  /** The sequence numbers of the feed's reorganisations, in order of arrival. */
  readonly #reorganisations: number[] = [];
  #pending: PendingGap[] = [];
  #feedGaps = 0;
  /** The end of the latest interval with dropped telemetry. */
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
      gapReason: null,
      doubt: null,
      incomplete: null,
    };
  }

  feedGap(): void {
    this.#feedGaps += 1;
  }

  /** Reverts the messages from this number on. */
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

  /** Adds an interval of the edge's self-monitoring; intervals come in order. */
  interval(endUs: number, dropped: number): void {
    if (dropped > 0) this.#lastDropUs = endUs;
    this.#endUs = Math.max(this.#endUs, endUs);
    this.settleRipe();
  }

  /** Decides the gaps for which all possible excuses are known. */
  settleRipe(): void {
    if (this.#pending.length === 0) return;
    const isRipe = ({ fault, receivedUs }: PendingGap): boolean =>
      receivedUs <= this.#endUs && this.#facts.isExecuted(fault.account, fault.observed);
    const ripe = this.#pending.filter(isRipe);
    if (ripe.length === 0) return;
    this.#pending = this.#pending.filter((gap) => !isRipe(gap));
    for (const gap of ripe) this.#settle(gap);
  }

  /** Decides the remaining gaps at the end. A lost edge may have dropped telemetry without reporting it. */
  end(isLost: boolean): void {
    for (const gap of this.#pending.splice(0)) {
      const state = this.#accounts[gap.fault.account];
      if (isLost && state !== undefined) state.gapReason ??= 'edge_lost';
      else this.#settle(gap);
    }
  }

  /** Call after `end`, with the nonce in the state; executed: every nonce below it has a receipt. */
  conclude(account: number, { nonce, isExecuted }: { nonce: number; isExecuted: boolean }): void {
    const state = this.#accounts[account];
    if (state === undefined) return;
    const hole = state.nonces.isWhole ? null : state.gapReason;
    state.incomplete = this.#facts.excuseOf(account) ?? state.doubt ?? hole;
    const { due } = state.nonces;
    if (nonce === due || state.incomplete !== null) return;
    state.incomplete =
      nonce > due
        ? (this.#gapReason(state, state.lastSeenUs) ?? (isExecuted ? 'feed_gap' : null))
        : this.#undoneBy(state, account);
    if (state.incomplete !== null) return;
    const facts = { account, expected: due, observed: nonce, hash: null, blockNumber: null };
    this.#onFault({ kind: 'final_count', ...facts });
  }

  /** Number of the account's distinct transactions seen in the feed. */
  seen(account: number): number {
    return this.#accounts[account]?.nonces.count ?? 0;
  }

  /** Why the account's transactions were not all seen, as far as is known so far. */
  incomplete(account: number): GapReason | null {
    const state = this.#accounts[account];
    if (state === undefined) return null;
    return state.incomplete ?? (state.nonces.isWhole ? null : state.gapReason);
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
    if (this.#feedGaps > state.feedGapsThen) state.gapReason ??= 'feed_gap';
    else this.#pending.push({ fault, sinceUs: state.lastSeenUs, receivedUs });
  }

  #settle({ fault, sinceUs }: PendingGap): void {
    const state = this.#accounts[fault.account];
    if (state === undefined || this.#facts.excuseOf(fault.account) !== null) return;
    if (this.#hasDroppedSince(sinceUs)) state.gapReason ??= 'events_dropped';
    else if (this.#facts.wasReorganised(fault.account)) state.gapReason ??= 'reorganised';
    else if (!state.nonces.isWhole) this.#onFault(fault);
  }

  /** Why the seen transactions may be missing from the state, if there is a possible reason. */
  #undoneBy(state: AccountNonces, account: number): GapReason | null {
    if (this.#isUndone(state) || this.#facts.wasReorganised(account)) return 'reorganised';
    return this.#facts.isPending(account) ? 'pending_transactions' : null;
  }

  /** Whether a later reorganisation of the feed has reverted the account's last sighting. */
  #isUndone({ lastSequence, reorganisationsThen }: AccountNonces): boolean {
    if (lastSequence === undefined) return false;
    return this.#reorganisations.slice(reorganisationsThen).some((sequence) => sequence <= lastSequence);
  }

  /** Why a transaction since then may have been missed, if there is a possible reason. */
  #gapReason(state: AccountNonces, sinceUs: number | undefined): GapReason | null {
    if (this.#feedGaps > state.feedGapsThen) return 'feed_gap';
    return this.#hasDroppedSince(sinceUs) ? 'events_dropped' : null;
  }

  /** Whether a sighting was dropped since then; undefined: since the start. */
  #hasDroppedSince(sinceUs: number | undefined): boolean {
    return this.#lastDropUs !== undefined && (sinceUs === undefined || this.#lastDropUs >= sinceUs);
  }
}

/** The fault with the data needed to reproduce it. */
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
