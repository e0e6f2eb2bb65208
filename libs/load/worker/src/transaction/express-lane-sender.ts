/**
 * The rounds and sequence numbers of the express lane (Timeboost).
 *
 * The target follows the numbers of a round from 0 on without gaps: a number that it did not take is used
 * again by the next transaction, or all later ones would wait for it until the round ends. A number whose
 * outcome is unknown is used again too; if it was taken after all, the target says so, and the next one
 * follows.
 */
import { ANY_SEQUENCE, fromHex, signSubmission, toHex, toQuantity } from '#load/chain';
import type { Secret } from '#platform/foundation';
import type { FailureClass } from '../rpc/failure-class.ts';
import type { RpcReply } from '../rpc/rpc-reply.ts';

/** The times of the rounds, as the auction contract states them. */
export interface RoundTiming {
  readonly offsetMs: number;
  readonly roundMs: number;
}

export interface ExpressLaneOptions {
  readonly chainId: number;
  readonly auctionContract: Uint8Array;
  readonly controllerKey: Secret;
  readonly timing: RoundTiming;
  readonly sequence: 'ordered' | 'any';
}

/** The place of a transaction in the express lane. */
export interface LaneSlot {
  readonly round: number;
  /** Undefined: it asked for no order. */
  readonly sequence: number | undefined;
  readonly roundEndMs: number;
}

/** Failures after which the number is used up: the lane has taken it before it failed, or says so. */
const USED_UP: ReadonlySet<FailureClass> = new Set(['lane_sequence', 'queue_timeout']);

export class ExpressLaneSender {
  readonly #options: ExpressLaneOptions;
  readonly #key: Uint8Array;
  #round = -1;
  #next = 0;
  /** Numbers of the round that are not used up, in ascending order. */
  #again: number[] = [];

  constructor(options: ExpressLaneOptions) {
    this.#options = options;
    this.#key = fromHex(options.controllerKey.reveal());
  }

  /** The end of the request for a transaction that is sent at this time. */
  submit(
    raw: Uint8Array,
    { nowMs, conditions }: { readonly nowMs: number; readonly conditions: string },
  ): { readonly end: string; readonly slot: LaneSlot } {
    const { chainId, auctionContract } = this.#options;
    const slot = this.#slotAt(nowMs);
    const sequence = slot.sequence === undefined ? ANY_SEQUENCE : BigInt(slot.sequence);
    const submission = { chainId, auctionContract, round: slot.round, sequence, raw };
    const rest = JSON.stringify({
      chainId: toQuantity(chainId),
      round: toQuantity(slot.round),
      auctionContractAddress: toHex(auctionContract),
      sequenceNumber: toQuantity(sequence),
      signature: toHex(signSubmission(submission, this.#key)),
    });
    return { end: `","options":${conditions},${rest.slice(1)}]}`, slot };
  }

  /** The target has answered, or will not. */
  answered({ round, sequence }: LaneSlot, reply: RpcReply): void {
    if (reply.isFine || USED_UP.has(reply.failure) || sequence === undefined || round !== this.#round) return;
    const at = this.#again.findIndex((other) => other > sequence);
    this.#again.splice(at < 0 ? this.#again.length : at, 0, sequence);
  }

  #slotAt(nowMs: number): LaneSlot {
    const { timing, sequence } = this.#options;
    const round = Math.max(0, Math.floor((nowMs - timing.offsetMs) / timing.roundMs));
    const roundEndMs = timing.offsetMs + (round + 1) * timing.roundMs;
    if (sequence === 'any') return { round, sequence: undefined, roundEndMs };
    if (round !== this.#round) {
      this.#round = round;
      this.#next = 0;
      this.#again = [];
    }
    return { round, sequence: this.#again.shift() ?? this.#next++, roundEndMs };
  }
}
