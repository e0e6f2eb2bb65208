/**
 * Timeboost, by the rules of Nitro without its auction: one controller has the express lane in all rounds.
 *
 * 1. A submission is for the current round, or for the next one shortly before it begins; then it waits.
 * 2. The numbers of a round begin at 0. A submission with the next number is queued at once, with all that
 *    waited for it; one with a later number waits, and is dropped when the round ends. A submission that asks
 *    for no order is queued at once.
 * 3. The answer means that the lane has taken it. What becomes of it in its block is not told.
 * 4. All other transactions wait before they are queued: the advantage of the express lane.
 */
import { type Address, ANY_SEQUENCE, type ExpressLaneSubmission, submissionSigner, toHex } from '#load/chain';
import type { Conditions } from './conditions.ts';
import type { SimRefusal } from './refusal.ts';

export interface ExpressLaneRules {
  readonly controller: Address;
  readonly roundMs: number;
  /** Time by which other transactions are delayed. */
  readonly advantageMs: number;
}

/** A submission with its signature and conditions. */
export interface LaneRequest extends ExpressLaneSubmission {
  readonly signature: Uint8Array;
  readonly conditions: Conditions | undefined;
}

/** Where rounds begin, and what the lane may queue. */
export interface LaneContext {
  readonly chainId: number;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Queues a transaction until the end of the round, in milliseconds from now. */
  readonly queue: (request: LaneRequest, leftMs: number) => void;
}

/** The address of the contract that a chain with an auction would have; here only its views are answered. */
export const AUCTION_CONTRACT = '0x1234567812345678123456781234567812345678';
const EARLY_MS = 2_000;
const FUTURE_MAX = 1_000;
const LANE_OFFSET_MS = 0;

export class ExpressLane {
  readonly rules: ExpressLaneRules;
  readonly #context: LaneContext;
  #round = -1;
  #next = 0n;
  /** Submissions of the round that wait for an earlier number, and those that were queued. */
  readonly #bySequence = new Map<bigint, LaneRequest>();

  constructor(rules: ExpressLaneRules, context: LaneContext) {
    this.rules = rules;
    this.#context = context;
  }

  /** When the first round begins, in seconds since 1970. */
  get offsetSeconds(): number {
    return LANE_OFFSET_MS / 1_000;
  }

  get round(): number {
    return Math.floor((this.#context.nowMs() - LANE_OFFSET_MS) / this.rules.roundMs);
  }

  /** The time until the next round. */
  get leftMs(): number {
    return LANE_OFFSET_MS + (this.round + 1) * this.rules.roundMs - this.#context.nowMs();
  }

  /** Why the lane does not take a submission; a number of milliseconds after which it may. */
  refusalOf(request: LaneRequest): SimRefusal | number | undefined {
    const { chainId, auctionContract, round } = request;
    const { chainId: ownId } = this.#context;
    if (chainId !== ownId) {
      return {
        message: `express lane tx chain ID ${chainId} does not match current chain ID ${ownId}: WRONG_CHAIN_ID`,
      };
    }
    if (toHex(auctionContract) !== AUCTION_CONTRACT) {
      return {
        message:
          `msg auction contract address ${toHex(auctionContract)} does not match sequencer auction contract ` +
          `address ${AUCTION_CONTRACT}: WRONG_AUCTION_CONTRACT`,
      };
    }
    const current = this.round;
    if (round === current + 1 && this.leftMs <= EARLY_MS) return this.leftMs;
    if (round !== current) return badRound(round, current);
    const signer = submissionSigner(request, request.signature);
    if (signer === undefined) return { message: 'MALFORMED_DATA' };
    if (Buffer.compare(signer, this.rules.controller) !== 0)
      return { message: 'NOT_EXPRESS_LANE_CONTROLLER' };
    return undefined;
  }

  /** Takes a valid submission: queues it, or keeps it until its number is next. */
  take(request: LaneRequest): SimRefusal | undefined {
    const { round, sequence, signature } = request;
    if (round !== this.round) return badRound(round, this.round);
    if (sequence === ANY_SEQUENCE) {
      this.#context.queue(request, this.leftMs);
      return undefined;
    }
    this.#enter(round);
    const known = this.#bySequence.get(sequence);
    if (known !== undefined && Buffer.compare(known.signature, signature) === 0) return undefined;
    if (sequence < this.#next) return { message: 'SEQUENCE_NUMBER_TOO_LOW' };
    if (known !== undefined) return { message: 'SEQUENCE_NUMBER_ALREADY_SEEN' };
    const limit = this.#next + BigInt(FUTURE_MAX);
    if (sequence > limit) {
      const numbers = `SequenceNumber: ${sequence}, ExpectedSequenceNumber: ${this.#next}, Limit: ${limit}`;
      return { message: `message sequence number has reached max allowed limit. ${numbers}` };
    }
    this.#bySequence.set(sequence, request);
    this.#queueNext();
    return undefined;
  }

  #enter(round: number): void {
    if (round === this.#round) return;
    this.#round = round;
    this.#next = 0n;
    this.#bySequence.clear();
  }

  #queueNext(): void {
    for (let next = this.#bySequence.get(this.#next); next !== undefined;) {
      this.#context.queue(next, this.leftMs);
      this.#next++;
      next = this.#bySequence.get(this.#next);
    }
  }
}

function badRound(round: number, current: number): SimRefusal {
  return {
    message: `express lane tx round ${round} does not match current round ${current}: BAD_ROUND_NUMBER`,
  };
}
