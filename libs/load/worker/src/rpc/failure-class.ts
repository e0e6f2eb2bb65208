/**
 * The failures of a transaction, and their consequences. This is the only table of other systems' error
 * messages: those of the clients and providers in test/data/client-failures.txt, with their sources, and the
 * codes of EIP-1474.
 */

/**
 * The consequence of an error for its transaction: not accepted, with an unchanged nonce (`refused`); not
 * accepted, because the account's nonce differs (`low`, `high`); or undetermined (`unknown`).
 */
export type FailureMeaning = 'refused' | 'low' | 'high' | 'unknown';

interface FailureRow {
  readonly meaning: FailureMeaning;
  /** JSON-RPC codes that are sufficient alone. */
  readonly codes?: readonly number[];
  /** Patterns of the error's message. */
  readonly words?: RegExp;
  readonly about: string;
}

/** The nonce of the account and of the transaction, where only the numbers tell which is higher. */
const NONCES = [
  /account has nonce of: (?<account>\d+) tx has nonce of: (?<own>\d+)/i,
  /invalid nonce; got (?<own>\d+), expected (?<account>\d+)/i,
  /sequence mismatch, expected (?<account>\d+), got (?<own>\d+)/i,
];

/**
 * Classes of failures in the order of matching: messages before codes, since Nitro uses -32000 for nearly
 * everything, and ganache -32700.
 */
export const FAILURES = {
  condition_failed: {
    meaning: 'refused',
    words:
      /(?:BlockNumber(?:Min|Max)|Timestamp(?:Min|Max)|Storage (?:root hash|slot value)) condition not met|conditions check failed/i,
    about: 'a condition of the transaction did not hold',
  },
  sync_timeout: {
    meaning: 'unknown',
    codes: [4, 5],
    words: /was added to the (?:mempool|transaction pool|pool) but/i,
    about: 'accepted, and in no block within the time-out of eth_sendRawTransactionSync',
  },
  lane_round: {
    meaning: 'refused',
    words: /BAD_ROUND_NUMBER/,
    about: 'the round of the express lane is not the current one: synchronize the clocks of edge and target',
  },
  lane_sequence: {
    meaning: 'refused',
    words: /SEQUENCE_NUMBER_(?:ALREADY_SEEN|TOO_LOW)|message sequence number has reached max/,
    about: 'the sequence number is used, or too far ahead: another sender uses the express lane',
  },
  lane_refused: {
    meaning: 'refused',
    words:
      /NO_ONCHAIN_CONTROLLER|NOT_EXPRESS_LANE_CONTROLLER|WRONG_AUCTION_CONTRACT|WRONG_CHAIN_ID|MALFORMED_DATA|OVERSIZED_DATA|timeboost not enabled|express lane service not enabled/,
    about: 'the express lane does not take it: its controller is another, or it has none',
  },
  method_missing: {
    meaning: 'refused',
    codes: [-32_601, -32_004, -32_604],
    words:
      /method.{0,80}(?:not found|does not exist|not (?:available|enabled|allowed|implemented|whitelisted|permitted)|(?:not |un)supported|disabled|forbidden)|(?:unknown|unsupported|forbidden) method|\b[a-z]+_[a-zA-Z]+ is not (?:available|enabled|allowed|supported)|not (?:available|included) (?:on|for|in) (?:the|your) .{0,30}(?:tier|plan)|module is disabled/i,
    about: 'the RPC does not support the method, or refuses it',
  },
  nonce_too_low: {
    meaning: 'low',
    words: /nonce (?:is )?too low|OldNonce/i,
    about: 'the nonce is already used: two edges share accounts, or the keys are used elsewhere',
  },
  nonce_too_high: {
    meaning: 'high',
    words:
      /nonce (?:is )?too (?:high|distant)|nonce ?gap|gapped-nonce|NonceTooFarInFuture|transaction with a lower nonce/i,
    about: 'an earlier transaction of the account was lost',
  },
  insufficient_funds: {
    meaning: 'refused',
    words:
      /insufficient ?(?:funds|balance)|overshot|(?:doesn't|does not) have enough funds|exceeds account balance|balance < tx cost/i,
    about: 'insufficient balance for value and gas: raise `fund_wei`',
  },
  duplicate: {
    meaning: 'unknown',
    words:
      /already ?known|already imported|\bknown transaction|already (?:in mempool|exists in cache)|tx with same hash/i,
    about: 'the sequencer already has this transaction',
  },
  replacement_underpriced: {
    meaning: 'unknown',
    words:
      /replacement transaction underpriced|could not replace|tries to replace|replaced by transaction|ReplacementNotAllowed|transaction with same nonce/i,
    about: 'another transaction with the same nonce is pending',
  },
  fee_too_low: {
    meaning: 'refused',
    words:
      /less than (?:the )?(?:block|current)(?:'s)? (?:blob gas |base) ?fee|fee cap (?:less than|below)|underpriced|gas ?price.{0,20}too low|below.{0,20}(?:minimum|base fee)|maxFeePerGas.{0,60}too low|fee ?too ?low|insufficient fee|fee < minimum/i,
    about:
      'the fee cap is below the base fee, or the tip is below the minimum of the node: raise ' +
      '`max_fee_multiplier` or `priority_fee_wei`',
  },
  fee_invalid: {
    meaning: 'refused',
    words:
      /priority ?fee.{0,40}(?:higher|greater|above|bigger|exceeds)|fee per gas higher than|less than maxPriorityFee|exceeds the configured cap|fee cap exceeded|fee.{0,20}overflow|Int256Overflow/i,
    about: 'fee and tip are inconsistent, or exceed a limit of the node',
  },
  gas_too_low: {
    meaning: 'refused',
    words:
      /intrinsic gas too low(?! -- tx\.gas_limit > env\.block)|intrinsic gas exceeds|base fee exceeds gas limit|gas required exceeds|floor data gas|out of gas|gas is too low|requires at least \d+ gas/i,
    about: 'the gas limit is too low for the transaction',
  },
  gas_too_high: {
    meaning: 'refused',
    words:
      /exceeds (?:the )?(?:(?:block|current) gas limit|transaction gas cap)|gas is beyond limit|gas ?(?:uint64 ?|uint)overflow|gas ?limit ?(?:exceeded|reached|is too high|too high)|intrinsic gas too (?:high|low -- tx\.gas_limit > env\.block)/i,
    about: 'the gas limit exceeds that of a block',
  },
  data_too_large: {
    meaning: 'refused',
    words:
      /oversized data|(?<!value )size ?(?:limit )?exceed|(?<!batch )too (?:large|big)|max (?:init)?code size|initcode|init code|EIP-3860|RLPTooLong/i,
    about: 'the transaction exceeds the size limit of the sequencer',
  },
  queue_full: {
    meaning: 'refused',
    words:
      /(?:queue|pool) (?:is )?full|too many transactions in the queue|(?:account|inflight transaction) limit (?:exceeded|reached)|pool.{0,20}limit/i,
    about: 'the queue of the sequencer is full',
  },
  queue_timeout: {
    meaning: 'unknown',
    words: /deadline exceeded|timed? ?out|context canceled/i,
    about: 'not sequenced in time: the sequencer is overloaded',
  },
  sequencer_unavailable: {
    meaning: 'refused',
    words:
      /sequencer.{0,40}(?:not available|unavailable|no sequencer|not active|stopped|shutting down)|please retry|backend offline|no backends? |node is syncing/i,
    about: 'no active sequencer at this address',
  },
  chain_id_mismatch: {
    meaning: 'refused',
    words: /chain[ -]?id|EIP-?155|replay-?(?:protected|attack)/i,
    about: 'signed for another chain',
  },
  signature_invalid: {
    meaning: 'refused',
    words:
      /invalid sender|invalid (?:transaction )?signature|invalid transaction v, r, s|not an eoa|recover|FailedToResolveSender|SenderIsContract|senders with deployed code/i,
    about: 'the sender cannot be recovered from the signature',
  },
  type_unsupported: {
    meaning: 'refused',
    words:
      /type.{0,20}not supported|NotSupportedTxType|invalid (?:transaction|tx) ?type|unsupported transaction type|not supported by the current hardfork|eip-?1559.{0,80}(?:not |un)supported/i,
    about: 'the chain does not support EIP-1559 transactions',
  },
  rate_limited: {
    meaning: 'refused',
    codes: [-32_005, 429],
    words:
      /too many requests|rate.?limit|(?:request|capacity) limit (?:reached|exceeded)|request (?:count|rate) exceeded|exceeded its .{0,40}capacity|limit exceeded|(?:reached|exceeded) the (?:quota|free tier)|too much load|requests limited to/i,
    about: 'HTTP 429, or a rate limit of the RPC',
  },
  request_invalid: {
    meaning: 'refused',
    codes: [-32_700, -32_600, -32_602],
    words:
      /failed to decode|could not decode|\brlp\b|invalid (?:transaction )?(?:params|argument|request|value)|unmarshal|too short|empty transaction data|odd number of digits|parse error/i,
    about: 'the RPC rejects the request as invalid',
  },
  rpc_internal: {
    meaning: 'unknown',
    codes: [-32_603],
    words: /internal (?:server )?error/i,
    about: 'an internal error of the RPC',
  },
  rpc_error: { meaning: 'refused', about: 'an unrecognised error; see its message' },
  rpc_unreachable: { meaning: 'refused', about: 'no connection to the RPC: nothing was sent' },
  rpc_transport: { meaning: 'unknown', about: 'the connection was lost before the response' },
  rpc_timeout: { meaning: 'unknown', about: 'no response within `rpc_timeout_ms`' },
  edge_starved: {
    meaning: 'unknown',
    about:
      'no response within `rpc_timeout_ms`, in which the edge had no processor for most of what it did: its ' +
      'machine was the limit, so this does not count against the target',
  },
  rpc_http_status: { meaning: 'unknown', about: 'an HTTP status that is neither 200 nor 429' },
  rpc_garbage: {
    meaning: 'unknown',
    about: 'the response is not JSON-RPC, belongs to another request, or is too large',
  },
  hash_mismatch: { meaning: 'unknown', about: 'the response contains another transaction hash' },
  reverted: {
    meaning: 'refused',
    words: /revert|invalid opcode|VM execution error/i,
    about: 'its execution failed: in a block, or at its estimate',
  },
  lost: {
    meaning: 'unknown',
    about: 'accepted, in no block by the end of the run, and unknown to the target',
  },
  undecided: {
    meaning: 'unknown',
    about: 'accepted, and not determined: the run was aborted, or its reads failed to the end',
  },
  pending: {
    meaning: 'unknown',
    about: 'accepted, and pending at the target at the end: raise `correlation.timeout`',
  },
  lane_expired: {
    meaning: 'unknown',
    about: 'taken by the express lane, and not sequenced before the end of its round',
  },
  nonce_taken: {
    meaning: 'unknown',
    about: 'accepted, but a foreign transaction used its nonce: use another seed',
  },
} as const satisfies Readonly<Record<string, FailureRow>>;

export type FailureClass = keyof typeof FAILURES;

export const FAILURE_CLASSES = Object.keys(FAILURES) as readonly FailureClass[];

/** Matched first: messages whose words stand in the patterns of other classes. */
const FIRST: readonly (readonly [FailureClass, RegExp])[] = [
  ['request_invalid', /batch.{0,40}(?:too large|exceed)|calls in batch/i],
  ['reverted', /^execution reverted/i],
];

const ROWS = Object.entries<FailureRow>(FAILURES) as readonly (readonly [FailureClass, FailureRow])[];
const MESSAGE_CHARACTERS_READ = 1_024;

/** The class of a JSON-RPC error. */
export function classOfRpcError(code: number | undefined, message: string): FailureClass {
  const text = message.slice(0, MESSAGE_CHARACTERS_READ);
  for (const pattern of NONCES) {
    const { account, own } = pattern.exec(text)?.groups ?? {};
    if (account !== undefined) return Number(own) < Number(account) ? 'nonce_too_low' : 'nonce_too_high';
  }
  const [first] = FIRST.find(([, words]) => words.test(text)) ?? [];
  if (first !== undefined) return first;
  const byWords = ROWS.find(([, { words }]) => words?.test(text));
  const byCode = ROWS.find(([, { codes }]) => code !== undefined && codes?.includes(code));
  return (byWords ?? byCode)?.[0] ?? 'rpc_error';
}

export function meaningOf(failure: FailureClass): FailureMeaning {
  return FAILURES[failure].meaning;
}
