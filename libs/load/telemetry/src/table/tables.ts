/** The kinds of `findings`. The oracle derives the consequence of each kind. */
export const FINDING_KINDS = [
  /** A transaction from or to an account of the run that the run did not send. */
  'foreign',
  /** A second receipt of a transaction. */
  'executed_twice',
  /** A receipt that cannot be parsed. */
  'malformed_receipt',
  /** Receipts of a block whose total gas differs from the block's gas. */
  'block_gas_sum',
  /** A receipt whose cumulative gas differs from the sum up to it. */
  'cumulative_gas',
  /** A receipt with a wrong block hash, block number or transaction index. */
  'receipt_place',
  /** A block with more or fewer receipts than transactions. */
  'receipt_count',
  /** A deployment whose receipt lacks the right contract address. */
  'contract_address',
  /** A feed message whose block hash differs from that of its block. */
  'feed_block_hash',
  /** A feed message with a transaction that its block does not contain. */
  'feed_not_in_block',
  /** A block with a transaction of the run that its feed message lacks. */
  'feed_omitted',
  /** A feed message whose transaction order differs from that of its block. */
  'feed_order',
  /** A feed message without a valid signature of its signer. */
  'feed_signature',
  /** A block that was replaced by another one. */
  'block_replaced',
  /** The chain was replaced from a block older than the edge's history. */
  'deep_reorganisation',
  /** Blocks that could not be read. */
  'blocks_unread',
  /**
   * A feed message whose block hash is not that of the present block, but may have been before a replacement.
   */
  'feed_unconfirmed',
  /** The RPC lacks or refuses a method, and the edge works without it. */
  'method_missing',
  /** A feed message that no block of the chain contains. */
  'feed_without_block',
  /** A block whose receipts the node did not return completely until the end of the run. */
  'receipts_missing',
  /** A receipt whose sender, receiver or type differs from those of its transaction. */
  'receipt_fields',
  /** A created contract without its code. */
  'contract_code',
  /** A feed message whose time is not that of its block, or is before that of an earlier message. */
  'feed_time',
  /** A feed message that has read fewer messages of the parent chain than an earlier one. */
  'feed_delayed_fell',
  /** A feed that confirms messages that it has not sent. */
  'feed_confirmed_ahead',
  /** A block with an earlier time than its parent. */
  'block_time',
  /** An RPC with another chain id at the end of the run. */
  'chain_id_changed',
  /** Ether of the funder that could not be returned from the accounts. */
  'not_reclaimed',
  /** The state of accounts or contracts could not be read at the end. */
  'state_unread',
  /** Failed executions of one entry of the mix, with their reasons. */
  'calls_reverted',
  /** Transactions of the express lane in one block in another order than that of their sequence numbers. */
  'express_lane_order',
  /** A transaction whose block's metadata state another way than the one by which it was sent. */
  'timeboosted_wrong',
  /** A transaction in a block in which its conditions do not hold. */
  'condition_broken',
  /** A receipt in the answer to a sending that differs from the one in the block. */
  'sync_receipt',
  /** Calls of entries of the mix that unexpectedly ran out of gas. */
  'out_of_gas',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/**
 * The tables of a run: column names and types, in the column order of all formats. Both are public: they are
 * the columns of the Parquet files. New columns are added at the end of a table.
 *
 *   i64, i32, u8  whole numbers; i64 within ±2^53
 *   bool
 *   dict          text with few distinct values; a list of texts: an enumerated `dict`
 *   utf8          any text
 *   wei           a decimal whole number of any size
 *   bytes32       a hash
 *   address       20 bytes; in Parquet, addresses and hashes are text: 0x and hexadecimal digits
 *   bytes         a blob
 *
 * `?` marks a nullable column. The columns `edge_id`, `instance_id` and `run_id` of each table in Parquet are
 * not listed: the hive derives them from the stream. Names of times end in `_us`: microseconds since 1970,
 * TIMESTAMP in Parquet.
 */
export const TABLES = {
  /** One row for each planned transaction, recorded when it is settled. */
  transactions: {
    tx: 'i64',
    stage: 'i32',
    kind: 'dict',
    expect: 'dict?',
    account: 'address',
    nonce: 'i64?',
    hash: 'bytes32?',
    intended_us: 'i64',
    sent_us: 'i64?',
    acked_us: 'i64?',
    feed_us: 'i64?',
    outcome: ['included', 'rejected', 'unknown', 'not_sent'],
    error_class: 'dict?',
    feed_sequence: 'i64?',
    block_number: 'i64?',
    is_excluded: 'bool',
    /** When the edge read the transaction's block. */
    block_us: 'i64?',
    /** 0, 1, 2 or 4. */
    type: 'i32?',
    /** How it was sent: `raw`, `sync`, `conditional` or `express_lane`. */
    way: 'dict?',
    /** Whether it came by the express lane, by the metadata of the feed. */
    timeboosted: 'bool?',
    /** Its index in the block, and the number of the block's transactions. */
    block_index: 'i32?',
    block_size: 'i32?',
  },
  /** One row for each message (`tx_index` −1) and for each own transaction in it, in feed order. */
  feed: {
    received_us: 'i64',
    sequence_number: 'i64',
    tx_index: 'i32',
    tx_count: 'i32?',
    bytes: 'i32?',
    /** Bits of `FEED_FLAGS`. */
    flags: 'u8',
    /** The number of the message's block; set once message and chain are known to correspond. */
    block_number: 'i64?',
    account: 'address?',
    nonce: 'i64?',
    /** The transaction hash; in the row of a message: the block hash stated by the message. */
    hash: 'bytes32?',
  },
  /** One row for each own transaction in a block; another one if its block is replaced. */
  receipts: {
    block_number: 'i64',
    tx_index: 'i32',
    hash: 'bytes32',
    account: 'address',
    nonce: 'i64',
    to: 'address?',
    kind: 'dict',
    value_wei: 'wei',
    gas_limit: 'i64',
    max_fee_wei: 'wei',
    status: 'u8',
    gas_used: 'i64',
    gas_used_l1: 'i64?',
    effective_gas_price: 'wei',
    receipt_json: 'utf8?',
    base_fee_wei: 'wei?',
    tip_wei: 'wei',
    /** The receiver and the units of an ERC-20 transfer. */
    token_to: 'address?',
    token_units: 'wei?',
    /** The block was replaced: this row revokes an earlier one. */
    is_withdrawn: 'bool',
  },
  balances: {
    account: 'address',
    at: ['start', 'end'],
    block_number: 'i64',
    /** Null, like the nonce, if it could not be read. */
    balance_wei: 'wei?',
    nonce: 'i64?',
    /** Balance in the load's ERC-20 token, if the mix has one and the target returns it. */
    token_units: 'wei?',
  },
  violations: {
    check: ['balance', 'nonce', 'gas'],
    kind: 'dict',
    account: 'address',
    hash: 'bytes32?',
    nonce: 'i64?',
    block_number: 'i64?',
    expected: 'utf8',
    observed: 'utf8',
    receipt_json: 'utf8?',
    calls_json: 'utf8',
    at_us: 'i64',
    /** The certainty of the correlation with a transaction. */
    note: 'utf8?',
  },
  /** One row for each second of an edge. Histograms: HDR, compressed V2, microseconds. */
  intervals: {
    at_us: 'i64',
    interval_ms: 'i32',
    stage: 'i32',
    planned: 'i64',
    sent: 'i64',
    not_sent: 'i64',
    acked: 'i64',
    included: 'i64',
    rejected: 'i64',
    unknown: 'i64',
    in_flight: 'i64',
    feed_messages: 'i64',
    correlation_misses: 'i64',
    events_dropped: 'i64',
    loop_delay_p99_us: 'i64',
    cpu_ms: 'i64',
    send_delay: 'bytes?',
    send_ack: 'bytes?',
    send_feed: 'bytes?',
    intended_feed: 'bytes?',
    send_block: 'bytes?',
    intended_block: 'bytes?',
  },
  /** One row for each process lifetime of an edge, written by the hive. */
  edges: {
    version: 'utf8',
    hostname: 'utf8',
    labels_json: 'utf8',
    first_account: 'i64',
    account_count: 'i64',
    registered_us: 'i64',
    left_us: 'i64?',
    end: ['done', 'crashed', 'evicted', 'failed', 'lost'],
    clock_offset_us: 'i64?',
    clock_error_us: 'i64?',
    feed_gaps: 'i64',
    events_dropped: 'i64',
    feed_messages: 'i64',
    feed_duplicates: 'i64',
    feed_reorganisations: 'i64',
    feed_disconnects: 'i64',
    correlation_misses: 'i64',
    feed_garbage: 'i64',
  },
  errors: {
    at_us: 'i64',
    class: 'dict',
    expected: 'bool',
    code: 'i32?',
    message: 'utf8',
    count: 'i64',
    sample_hash: 'bytes32?',
  },
  /** Observations of an edge that contradict others or were not caused by the run; see FINDING_KINDS. */
  findings: {
    at_us: 'i64',
    kind: FINDING_KINDS,
    account: 'address?',
    receiver: 'address?',
    hash: 'bytes32?',
    nonce: 'i64?',
    block_number: 'i64?',
    sequence_number: 'i64?',
    expected: 'utf8?',
    observed: 'utf8?',
    receipt_json: 'utf8?',
  },
  /** One row for each read beside the load, recorded with its answer. */
  reads: {
    name: 'dict',
    method: 'dict',
    stage: 'i32',
    is_excluded: 'bool',
    intended_us: 'i64',
    sent_us: 'i64?',
    answered_us: 'i64?',
    outcome: ['answered', 'failed', 'not_sent'],
    error_class: 'dict?',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ColumnType>>>>;

/** `late`: the message fills an earlier gap in the sequence numbers. */
export const FEED_FLAGS = { duplicate: 1, reorganisation: 2, backlog: 4, afterGap: 8, late: 16 } as const;

export type TableName = keyof typeof TABLES;

export type ColumnKind =
  'i64' | 'i32' | 'u8' | 'bool' | 'dict' | 'utf8' | 'wei' | 'bytes32' | 'address' | 'bytes';

/** A list of texts is a `dict` with only these values. */
export type ColumnType = ColumnKind | `${ColumnKind}?` | readonly string[];

/** The table names in the order of every format. */
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

/** Tables with few and small rows: an edge drops them only above LOSSLESS_ROWS_MAX. */
export const LOSSLESS_TABLES: ReadonlySet<TableName> = new Set([
  'intervals',
  'violations',
  'edges',
  'findings',
]);
