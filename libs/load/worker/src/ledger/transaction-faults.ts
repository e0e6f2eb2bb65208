/**
 * The known faults of a transaction, which prevent a clean result of the run. They are derived from the
 * transaction's current state, and are withdrawn when the state changes.
 */
import type { EventBuffer } from '#load/telemetry';
import { type FailureClass, meaningOf } from '../rpc/failure-class.ts';
import type { TransactionOutcome } from '../transaction/open-transaction.ts';

/**
 * The state of an accepted transaction in no block. It is lost only if all blocks were read and the target
 * does not know it; without a determined state it is undecided.
 */
export type UnplacedState = 'lost' | 'pending' | 'nonce_taken' | 'lane_expired';

/** The message for each of these states, and for one that is not determined. */
export const UNPLACED_MESSAGES: Readonly<Record<UnplacedState | 'undecided', string>> = {
  lost: 'accepted, in no block by the end, and unknown to the target',
  undecided: 'accepted, and its block could not be determined',
  pending: 'accepted, and pending at the target at the end',
  lane_expired: 'taken by the express lane shortly before the end of its round, and in no block',
  nonce_taken: 'accepted, but a foreign transaction used its nonce',
};

/** Each fault is one bit, in this order. */
export const FAULTS = [
  /** Rejected with a failure that its entry of the mix does not expect. */
  'rejectedUnexpected',
  /** Included with a failed execution that its entry does not expect. */
  'reverted',
  /** Answered with an error that its entry does not expect, and still included. */
  'includedAfterError',
  /** Accepted by the target although its entry expects a failure. */
  'expectUnmet',
  /** Accepted, and not found at the end, although all blocks were read and the target was asked. */
  'ackedLost',
  /** Accepted, and not found at the end, for a reason other than a loss, or for an undetermined one. */
  'ackedUndecided',
  /** Without an answer in a time in which the edge was starved, and not found at the end. */
  'edgeStarved',
] as const;

type Fault = (typeof FAULTS)[number];

/** The state of a transaction that determines its faults. */
interface FaultFacts {
  readonly outcome: TransactionOutcome;
  readonly answerFailure: FailureClass | undefined;
  /** Its latest failure. */
  readonly failure: FailureClass | undefined;
  readonly ackedUs: number | undefined;
  readonly isReverted: boolean;
}

const UNDECIDED: ReadonlySet<FailureClass> = new Set(['undecided', 'pending', 'nonce_taken']);

/** A bit for each fault, the first of {@link FAULTS} the lowest. */
export function faultsOf(facts: FaultFacts, expected: string | null): number {
  const { outcome, answerFailure, failure, isReverted } = facts;
  const isUnexpected = answerFailure !== undefined && answerFailure !== expected;
  const holds: Readonly<Record<Fault, boolean>> = {
    rejectedUnexpected: outcome === 'rejected' && isUnexpected,
    reverted: isReverted && expected !== 'reverted',
    includedAfterError: outcome === 'included' && isUnexpected,
    expectUnmet: expected !== null && isAccepted(facts, expected),
    ackedLost: outcome === 'unknown' && failure === 'lost',
    ackedUndecided: outcome === 'unknown' && failure !== undefined && UNDECIDED.has(failure),
    edgeStarved: outcome === 'unknown' && answerFailure === 'edge_starved',
  };
  return FAULTS.reduce((mask, fault, bit) => mask | (Number(holds[fault]) << bit), 0);
}

/** An expected failure with an open outcome, such as a time-out, may be followed by an inclusion. */
function isAccepted({ outcome, answerFailure, ackedUs, isReverted }: FaultFacts, expected: string): boolean {
  if (isReverted && expected === 'reverted') return false;
  if (ackedUs !== undefined) return true;
  const isOpen = answerFailure === expected && meaningOf(answerFailure) === 'unknown';
  return outcome === 'included' && !isOpen;
}

interface Sample {
  readonly failure: FailureClass;
  readonly isExpected: boolean;
  readonly code: number | null;
  readonly message: string;
  readonly hash: Uint8Array | null;
  count: number;
}

/** Failures of an interval, one row for each class and code, with the first of them as an example. */
export class ErrorLog {
  readonly #samples = new Map<string, Sample>();

  add(failure: Omit<Sample, 'count'>): void {
    const key = `${failure.failure} ${String(failure.isExpected)} ${String(failure.code)}`;
    const known = this.#samples.get(key);
    if (known === undefined) this.#samples.set(key, { ...failure, count: 1 });
    else known.count++;
  }

  flush(events: EventBuffer, atUs: number): void {
    for (const { failure, isExpected, code, message, count, hash } of this.#samples.values()) {
      const row = {
        at_us: atUs,
        class: failure,
        expected: isExpected,
        code,
        message,
        count,
        sample_hash: hash,
      };
      events.record('errors', row);
    }
    this.#samples.clear();
  }
}
