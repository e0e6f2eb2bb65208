/** What a row of `findings` can say. The oracle knows what follows from each. */
export const FINDING_KINDS = [
  /** A transaction from or to an account of the run that the run did not send. */
  'foreign',
  /** A receipt of a transaction that has one already. */
  'executed_twice',
  /** A receipt that is none. */
  'malformed_receipt',
  /** Receipts of a block whose gas does not add up to the block's. */
  'block_gas_sum',
  /** A receipt whose cumulative gas is not the sum up to it. */
  'cumulative_gas',
  /** A receipt that names another block, number or place than where it stands. */
  'receipt_place',
  /** A block with more or fewer receipts than transactions. */
  'receipt_count',
  /** A deployment whose receipt does not name the contract that it makes. */
  'contract_address',
  /** A feed message with another block hash than its block. */
  'feed_block_hash',
  /** A feed message with a transaction that does not stand in its block. */
  'feed_not_in_block',
  /** A block with a transaction of ours that its feed message leaves out. */
  'feed_omitted',
  /** A feed message with transactions in another order than its block. */
  'feed_order',
  /** A feed message that its signer has not signed. */
  'feed_signature',
  /** A block that another one has replaced. */
  'block_replaced',
  /** The chain was replaced from before what the edge remembers. */
  'deep_reorganisation',
  /** Blocks that could not be read. */
  'blocks_unread',
  /** A feed message with a block hash that stands no more, and may once have stood. */
  'feed_unconfirmed',
  /** The RPC does not have a method, and is read without it. */
  'method_missing',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/**
 * The tables of a run: column names and types, in the order in which all formats have them. Both are public:
 * they are the columns of the Parquet files. New columns go to the end of a table.
 *
 *   i64, i32, u8  whole numbers; i64 within ±2^53
 *   bool
 *   dict          text with few values; a list of texts: one of these
 *   utf8          any text
 *   wei           a decimal whole number of any size
 *   bytes32       a hash, address: 20 bytes; in Parquet both are text, 0x and hexadecimal digits
 *   bytes         anything else
 *
 * `?` marks what may be null. The columns `edge_id`, `instance_id` and `run_id`, which each table has in
 * Parquet, are not here: the hive knows them from the stream. Names of times end in `_us`: microseconds since
 * 1970, in Parquet TIMESTAMP.
 */
export const TABLES = {
  /** One for each planned transaction, when it is settled. */
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
    /** When the edge read the block that it stands in. */
    block_us: 'i64?',
  },
  /** One for each message (`tx_index` −1), and one for each own transaction in it, in feed order. */
  feed: {
    received_us: 'i64',
    sequence_number: 'i64',
    tx_index: 'i32',
    tx_count: 'i32?',
    bytes: 'i32?',
    /** Bits of `FEED_FLAGS`. */
    flags: 'u8',
    /** Of the block that the message makes, once message and chain have been seen to be in step. */
    block_number: 'i64?',
    account: 'address?',
    nonce: 'i64?',
    /** Of the transaction; of a message itself: of its block, as the message tells it. */
    hash: 'bytes32?',
  },
  /** One for each own transaction that stands in a block; another when its block is replaced. */
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
    /** Of an ERC-20 transfer: who gets how many units. */
    token_to: 'address?',
    token_units: 'wei?',
    /** Its block was replaced: the row takes back an earlier one. */
    is_withdrawn: 'bool',
  },
  balances: {
    account: 'address',
    at: ['start', 'end'],
    block_number: 'i64',
    balance_wei: 'wei',
    nonce: 'i64',
    /** Of the load's ERC-20 token, where the mix has it and the target tells. */
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
    /** How sure it is which transaction it was. */
    note: 'utf8?',
  },
  /** One for each second of an edge. Histograms: HDR, compressed V2, microseconds. */
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
  /** One for each life of an edge; the hive writes them. */
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
  /** What an edge saw that contradicts something else, or that nobody of the run did; see FINDING_KINDS. */
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
} as const satisfies Readonly<Record<string, Readonly<Record<string, ColumnType>>>>;

/** `late`: under a number that was left out when later ones came. */
export const FEED_FLAGS = { duplicate: 1, reorganisation: 2, backlog: 4, afterGap: 8, late: 16 } as const;

export type TableName = keyof typeof TABLES;

export type ColumnKind =
  'i64' | 'i32' | 'u8' | 'bool' | 'dict' | 'utf8' | 'wei' | 'bytes32' | 'address' | 'bytes';

/** A list of texts stands for a `dict` that has one of these values. */
export type ColumnType = ColumnKind | `${ColumnKind}?` | readonly string[];

/** The tables, in the order of every format. */
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

/** Few and small: an edge never drops rows of these. */
export const LOSSLESS_TABLES: ReadonlySet<TableName> = new Set([
  'intervals',
  'violations',
  'edges',
  'findings',
]);
