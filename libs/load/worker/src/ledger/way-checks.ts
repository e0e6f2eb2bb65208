/**
 * What the ways to send promise, compared with blocks and feed. A contradiction is a finding that violates a
 * check; whatever is not stated, or may have another explanation, is none:
 *
 * - Express lane: within one block, a transaction follows one with a higher sequence number of its round only
 *   if it could not have been executed before that one, because of its nonce. (What does not fit into a block
 *   comes later, so that the order over several blocks proves nothing.)
 * - The metadata of a block tell what came by the express lane. They belong to the block whose hash the
 *   message states.
 * - Conditional transactions are in blocks in which the conditions hold. Those of storage cannot be seen.
 * - The receipt in a synchronous answer is that of the block whose hash it states.
 */
import { isTimeboosted, toHex } from '#load/chain';
import type { FindingFacts, FindingRecorder } from '../correlation/finding-log.ts';
import type { FeedEvent } from '../feed/feed-event.ts';
import type { ConditionPlan, SendWay } from '../plan/sending-plan.ts';
import type { FindingKind } from '#load/telemetry';
import type { BlockReceipts } from '../settlement/block-receipts.ts';
import type { OpenTransaction, SyncReceipt } from '../transaction/open-transaction.ts';
import { secondsOf } from '../transaction/request-form.ts';
import type { RunFacts } from './run-facts.ts';

interface Place {
  readonly nonce: number;
  readonly block: number;
  readonly index: number;
}

interface LanePlace {
  readonly round: number;
  readonly sequence: number;
  readonly index: number;
}

const HASH_BYTES = 32;
const HASH = /^0x[0-9a-fA-F]{64}$/;

/** What a successful answer is, by the way of the sending: whether it acknowledges this transaction. */
export function isAcknowledgement(way: SendWay, result: unknown, hash: string): boolean {
  if (way === 'express_lane') return result === null;
  if (way === 'sync') return hashIn(result, 'transactionHash') === hash;
  return typeof result === 'string' && result.toLowerCase() === hash;
}

/** The receipt of a synchronous answer; undefined if it is not complete, so that nothing can be compared. */
export function syncReceiptOf(result: unknown): SyncReceipt | undefined {
  const blockHash = hashIn(result, 'blockHash');
  const { status, gasUsed } = (result ?? {}) as Readonly<Partial<Record<string, unknown>>>;
  if (blockHash === undefined || typeof gasUsed !== 'string') return undefined;
  if (status !== '0x0' && status !== '0x1') return undefined;
  return { blockHash, isExecuted: status === '0x1', gasUsed: gasUsed.toLowerCase() };
}

function hashIn(result: unknown, name: string): string | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const value = (result as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' && HASH.test(value) ? value.toLowerCase() : undefined;
}

export class WayChecks {
  readonly #facts: RunFacts;
  readonly #findings: FindingRecorder;
  /** The last transaction of each account in a block. */
  readonly #last = new Map<number, Place>();
  /** The transactions of the express lane in the block that is being read. */
  #lane: LanePlace[] = [];
  #laneBlock = -1;

  constructor(facts: RunFacts, findings: FindingRecorder) {
    this.#facts = facts;
    this.#findings = findings;
  }

  /** A feed message contains the transaction. */
  shown(open: OpenTransaction, { blockHash, blockMetadata }: FeedEvent): void {
    open.shownBlock = { hash: blockHash, metadata: blockMetadata };
    this.#compareMetadata(open);
  }

  /** A block contains the transaction. */
  placed(open: OpenTransaction, block: BlockReceipts, at: number): void {
    const index = block.indexes[at] ?? 0;
    open.place = { index, size: block.txHashes.length / HASH_BYTES, hash: block.hash };
    this.#compareMetadata(open);
    this.#checkOrder(open, block, index);
    this.#checkConditions(open, block);
    this.#checkReceipt(open, block, at);
    const { position, nonce } = open.signed.item;
    this.#last.set(position, { nonce, block: block.blockNumber, index });
  }

  /** The transaction's block was replaced. */
  withdrawn(open: OpenTransaction): void {
    open.place = undefined;
    open.shownBlock = undefined;
    open.isTimeboosted = null;
    this.#last.delete(open.signed.item.position);
  }

  /** A synchronous answer has a receipt; undefined: not completely. */
  answered(open: OpenTransaction, receipt: SyncReceipt | undefined): void {
    open.syncReceipt = receipt;
    this.#compareReceipts(open);
  }

  #compareMetadata(open: OpenTransaction): void {
    const { place, shownBlock } = open;
    if (place === undefined || shownBlock === undefined || shownBlock.metadata === null) return;
    open.isTimeboosted = isTimeboosted(shownBlock.metadata, place.index);
    if (open.isTimeboosted === null) return;
    const isByLane = this.#wayOf(open) === 'express_lane';
    const isSameBlock = shownBlock.hash !== null && Buffer.compare(shownBlock.hash, place.hash) === 0;
    if (isByLane === open.isTimeboosted || !isSameBlock) return;
    const textOf = (isBoosted: boolean): string => (isBoosted ? 'timeboosted' : 'not timeboosted');
    this.#report('timeboosted_wrong', open, {
      expected: textOf(isByLane),
      observed: `${textOf(!isByLane)}, index ${place.index}`,
    });
  }

  #checkOrder(open: OpenTransaction, { blockNumber }: BlockReceipts, index: number): void {
    if (this.#laneBlock !== blockNumber) {
      this.#laneBlock = blockNumber;
      this.#lane = [];
    }
    const { round, sequence } = open.request.slot ?? {};
    if (round === undefined || sequence === undefined) return;
    const possibleFrom = this.#possibleFrom(open, blockNumber);
    const ahead = this.#lane.find(
      (one) =>
        one.round === round && one.sequence > sequence && one.index < index && one.index > possibleFrom,
    );
    this.#lane.push({ round, sequence, index });
    if (ahead === undefined) return;
    this.#report('express_lane_order', open, {
      block_number: blockNumber,
      expected: `sequence number ${sequence} of round ${round} before ${ahead.sequence}`,
      observed: `index ${index}, after index ${ahead.index}`,
    });
  }

  /** The index in the block after which the transaction could have been executed; Infinity if not known. */
  #possibleFrom(open: OpenTransaction, blockNumber: number): number {
    const { position, nonce } = open.signed.item;
    const before = this.#last.get(position);
    if (before === undefined) return nonce === this.#facts.firstNonceOf(position) ? -1 : Infinity;
    if (before.nonce !== nonce - 1) return Infinity;
    return before.block < blockNumber ? -1 : before.index;
  }

  #checkConditions(open: OpenTransaction, { blockNumber, parentNumber, timestamp }: BlockReceipts): void {
    const { conditions } = this.#facts.contextOf(open).blueprint.sending;
    if (conditions === null) return;
    const { nowMs } = open.request;
    const broken = [
      outside('time', timestamp, boundsOfTime(conditions, nowMs)),
      outside('block number', parentNumber ?? blockNumber, {
        least: conditions.blockNumberMin,
        most: conditions.blockNumberMax,
      }),
    ].find((one) => one !== undefined);
    if (broken !== undefined)
      this.#report('condition_broken', open, { block_number: blockNumber, ...broken });
  }

  #checkReceipt(open: OpenTransaction, block: BlockReceipts, at: number): void {
    const gasUsed = block.gasUsed[at] ?? 0;
    open.receipt = {
      blockHash: toHex(block.hash),
      isExecuted: block.statuses[at] === 1,
      gasUsed: `0x${gasUsed.toString(16)}`,
    };
    this.#compareReceipts(open);
  }

  #compareReceipts(open: OpenTransaction): void {
    const { receipt, syncReceipt: answered } = open;
    if (receipt === undefined || receipt.blockHash !== answered?.blockHash) return;
    if (receipt.isExecuted === answered.isExecuted && receipt.gasUsed === answered.gasUsed) return;
    const textOf = ({ isExecuted, gasUsed }: SyncReceipt): string =>
      `status ${isExecuted ? 1 : 0}, gas ${Number(gasUsed)}`;
    this.#report('sync_receipt', open, { expected: textOf(receipt), observed: textOf(answered) });
  }

  #wayOf(open: OpenTransaction): SendWay {
    return this.#facts.contextOf(open).blueprint.sending.way;
  }

  #report(kind: FindingKind, open: OpenTransaction, facts: FindingFacts): void {
    const { position, nonce } = open.signed.item;
    const place = { account: this.#facts.accountOf(position), hash: open.hash, nonce };
    this.#findings.add(kind, { ...place, block_number: open.blockNumber ?? null, ...facts });
  }
}

interface Bounds {
  readonly least: number | undefined;
  readonly most: number | undefined;
}

function boundsOfTime({ timestampMin, timestampMax }: ConditionPlan, nowMs: number): Bounds {
  return { least: secondsOf(timestampMin, nowMs), most: secondsOf(timestampMax, nowMs) };
}

/** Undefined for a value within the bounds, or one that is not known (NaN). */
function outside(
  what: string,
  value: number,
  { least = -Infinity, most = Infinity }: Bounds,
): { readonly expected: string; readonly observed: string } | undefined {
  if (!(value < least || value > most)) return undefined;
  const expected = value < least ? `${what} ${least} or higher` : `${what} ${most} or lower`;
  return { expected, observed: `${what} ${value}` };
}
