import type { RowOf } from '#load/telemetry';
import type { FeedEvent } from '../feed/feed-event.ts';
import type { BlockReceipts } from '../settlement/block-receipts.ts';
import type { Blueprint } from '../transaction/blueprint.ts';
import type { Intent, OpenTransaction } from '../transaction/open-transaction.ts';

/** Values for a planned transaction without a chosen entry of the mix. */
const NO_KIND = 'none';

/** The facts in a transaction's rows from outside the transaction. */
export interface RowContext {
  readonly blueprint: Blueprint;
  readonly account: Uint8Array;
  readonly isExcluded: boolean;
}

/** The receiver and amount of a transaction; for a token transfer, the token's receiver and units. */
export interface SentValue {
  readonly to: Uint8Array | null;
  readonly valueWei: bigint;
  readonly tokenTo: Uint8Array | null;
  readonly tokenUnits: bigint | null;
}

export function transactionRow(
  open: OpenTransaction,
  { blueprint, account, isExcluded }: RowContext,
): RowOf<'transactions'> {
  const { intent, signed, outcome } = open;
  return {
    ...intentCells(intent),
    kind: blueprint.kind,
    expect: blueprint.expect,
    account,
    is_excluded: isExcluded,
    nonce: signed.item.nonce,
    hash: signed.hash,
    sent_us: open.sentUs ?? null,
    acked_us: open.ackedUs ?? null,
    feed_us: open.feedUs ?? null,
    outcome: outcome === 'open' ? 'unknown' : outcome,
    error_class: open.failure ?? null,
    feed_sequence: open.feedSequence ?? null,
    block_number: open.blockNumber ?? null,
    block_us: open.blockUs ?? null,
    ...wayCells(open, blueprint),
  };
}

/** The row of a planned transaction that was not sent; `why` is the shortage. */
export function unsentRow(
  intent: Intent,
  why: string,
  { account, isExcluded }: Omit<RowContext, 'blueprint'>,
): RowOf<'transactions'> {
  return {
    ...intentCells(intent),
    kind: NO_KIND,
    expect: null,
    account,
    is_excluded: isExcluded,
    nonce: null,
    hash: null,
    sent_us: null,
    acked_us: null,
    feed_us: null,
    outcome: 'not_sent',
    error_class: why,
    feed_sequence: null,
    block_number: null,
    block_us: null,
    type: null,
    way: null,
    timeboosted: null,
    block_index: null,
    block_size: null,
  };
}

/** The row of a feed message (without `own`), or of an own transaction in it (with `own`). */
export function feedRow(
  event: FeedEvent,
  blockNumber: number | null,
  own?: {
    readonly account: Uint8Array;
    readonly nonce: number;
    readonly hash: Uint8Array;
    readonly index: number;
  },
): RowOf<'feed'> {
  return {
    received_us: event.receivedUs,
    sequence_number: event.sequenceNumber,
    tx_index: own?.index ?? -1,
    tx_count: own === undefined ? event.hashes.length / 32 : null,
    bytes: own === undefined ? event.bytes : null,
    flags: event.flags,
    block_number: blockNumber,
    account: own?.account ?? null,
    nonce: own?.nonce ?? null,
    hash: own?.hash ?? event.blockHash,
  };
}

/** `payload` is the sent request. */
export function receiptRow(
  block: BlockReceipts,
  at: number,
  own: { readonly open: OpenTransaction; readonly isWithdrawn: boolean } & SentValue & RowContext,
): RowOf<'receipts'> {
  const { open, blueprint, account } = own;
  const { item, fees } = open.signed;
  const gasUsedL1 = block.gasUsedL1[at] ?? NaN;
  return {
    block_number: block.blockNumber,
    tx_index: block.indexes[at] ?? 0,
    hash: open.hash,
    account,
    nonce: item.nonce,
    to: own.to,
    kind: blueprint.kind,
    value_wei: own.valueWei,
    gas_limit: Number(blueprint.gasLimit) + item.variant,
    max_fee_wei: fees.maxFee,
    status: block.statuses[at] ?? 0,
    gas_used: block.gasUsed[at] ?? 0,
    gas_used_l1: Number.isNaN(gasUsedL1) ? null : gasUsedL1,
    effective_gas_price: block.prices[at] ?? 0n,
    receipt_json: block.suspicious.get(at) ?? null,
    base_fee_wei: block.baseFee,
    // Of a gas price, all above the base fee is the tip.
    tip_wei: blueprint.sending.type < 2 ? fees.maxFee : fees.priorityFee,
    token_to: own.tokenTo,
    token_units: own.tokenUnits,
    is_withdrawn: own.isWithdrawn,
  };
}

function wayCells(
  { isTimeboosted, place }: OpenTransaction,
  { sending: { type, way } }: Blueprint,
): Pick<RowOf<'transactions'>, 'type' | 'way' | 'timeboosted' | 'block_index' | 'block_size'> {
  const { index = null, size = null } = place ?? {};
  return { type, way, timeboosted: isTimeboosted, block_index: index, block_size: size };
}

function intentCells({ tx, stage, intendedUs }: Intent): IntentCells {
  return { tx, stage, intended_us: intendedUs };
}

type IntentCells = Pick<RowOf<'transactions'>, 'tx' | 'stage' | 'intended_us'>;
