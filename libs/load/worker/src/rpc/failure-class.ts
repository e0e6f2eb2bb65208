/**
 * The failures of a transaction, and their consequences. This is the only table of other systems' error
 * messages: those of Nitro (including geth's), anvil, Hardhat and ganache, and the codes of EIP-1474.
 *
 * Sources: geth core/error.go and core/txpool/errors.go, Nitro execution/gethexec/sequencer.go and
 * arbos/tx_processor, foundry crates/anvil/src/eth/error.rs; answers of Hardhat 2.29 and ganache 7.9.
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

/** The second number is the transaction's. */
const GANACHE_NONCE = /account has nonce of: (\d+) tx has nonce of: (\d+)/;

/**
 * In the order of matching: messages before codes, since Nitro uses -32000 for nearly everything, and ganache
 * -32700.
 */
export const FAILURES = {
  method_missing: {
    meaning: 'refused',
    codes: [-32_601, -32_004],
    words:
      /method.{0,80}(?:not found|does not exist|not available|(?:not |un)supported|not implemented)|(?:unknown|unsupported) method/i,
    about: 'the RPC does not support the method',
  },
  nonce_too_low: {
    meaning: 'low',
    words: /nonce too low/i,
    about: 'the nonce is already used: two edges share accounts, or the keys are used elsewhere',
  },
  nonce_too_high: {
    meaning: 'high',
    words: /nonce too high|nonce gap/i,
    about: 'an earlier transaction of the account was lost',
  },
  insufficient_funds: {
    meaning: 'refused',
    words: /insufficient (?:funds|balance)|overshot|doesn't have enough funds/i,
    about: 'insufficient balance for value and gas: raise `fund_wei`',
  },
  duplicate: {
    meaning: 'unknown',
    words: /already known|already imported|known transaction/i,
    about: 'the sequencer already has this transaction',
  },
  replacement_underpriced: {
    meaning: 'unknown',
    words: /replacement transaction underpriced|could not replace/i,
    about: 'another transaction with the same nonce is pending',
  },
  fee_too_low: {
    meaning: 'refused',
    words:
      /less than block base fee|fee cap (?:less than|below)|underpriced|gas price too low|below.{0,20}minimum|maxFeePerGas.{0,60}too low/i,
    about:
      'the fee cap is below the base fee, or the tip is below the minimum of the node: raise ' +
      '`max_fee_multiplier` or `priority_fee_wei`',
  },
  fee_invalid: {
    meaning: 'refused',
    words: /priority fee.{0,40}(?:higher|greater|above)|exceeds the configured cap|fee.{0,20}overflow/i,
    about: 'fee and tip are inconsistent, or exceed a limit of the node',
  },
  gas_too_low: {
    meaning: 'refused',
    words:
      /intrinsic gas too low(?! -- tx\.gas_limit > env\.block)|gas required exceeds|floor data gas|out of gas|requires at least \d+ gas/i,
    about: 'the gas limit is too low for the transaction',
  },
  gas_too_high: {
    meaning: 'refused',
    words:
      /exceeds (?:the )?(?:block gas limit|transaction gas cap)|gas limit (?:reached|is too high|too high)|intrinsic gas too (?:high|low -- tx\.gas_limit > env\.block)/i,
    about: 'the gas limit exceeds that of a block',
  },
  data_too_large: {
    meaning: 'refused',
    words:
      /oversized data|size (?:limit )?exceed|too large|max (?:init)?code size|initcode|init code|EIP-3860/i,
    about: 'the transaction exceeds the size limit of the sequencer',
  },
  queue_full: {
    meaning: 'refused',
    words: /queue (?:is )?full|txpool is full|pool.{0,20}limit/i,
    about: 'the queue of the sequencer is full',
  },
  queue_timeout: {
    meaning: 'unknown',
    words: /context deadline exceeded|timed? ?out|context canceled/i,
    about: 'not sequenced in time: the sequencer is overloaded',
  },
  sequencer_unavailable: {
    meaning: 'refused',
    words: /sequencer.{0,40}(?:not available|unavailable|no sequencer|not active|stopped)|please retry/i,
    about: 'no active sequencer at this address',
  },
  chain_id_mismatch: {
    meaning: 'refused',
    words: /chain ?id/i,
    about: 'signed for another chain',
  },
  signature_invalid: {
    meaning: 'refused',
    words: /invalid sender|invalid signature|invalid transaction v, r, s|not an eoa|recover/i,
    about: 'the sender cannot be recovered from the signature',
  },
  type_unsupported: {
    meaning: 'refused',
    words:
      /type.{0,20}not supported|unsupported transaction type|not supported by the current hardfork|eip-?1559.{0,80}(?:not |un)supported/i,
    about: 'the chain does not support EIP-1559 transactions',
  },
  rate_limited: {
    meaning: 'refused',
    codes: [-32_005, 429],
    words: /too many requests|rate limit|limit exceeded/i,
    about: 'HTTP 429, or a rate limit of the RPC',
  },
  request_invalid: {
    meaning: 'refused',
    codes: [-32_700, -32_600, -32_602],
    words:
      /failed to decode|could not decode|\brlp\b|invalid (?:params|argument|request)|unmarshal|input too short/i,
    about: 'the RPC rejects the request as invalid',
  },
  rpc_internal: { meaning: 'unknown', codes: [-32_603], about: 'an internal error of the RPC' },
  rpc_error: { meaning: 'refused', about: 'an unrecognised error; see its message' },
  rpc_unreachable: { meaning: 'refused', about: 'no connection to the RPC: nothing was sent' },
  rpc_transport: { meaning: 'unknown', about: 'the connection was lost before the response' },
  rpc_timeout: { meaning: 'unknown', about: 'no response within `rpc_timeout_ms`' },
  rpc_http_status: { meaning: 'unknown', about: 'an HTTP status that is neither 200 nor 429' },
  rpc_garbage: {
    meaning: 'unknown',
    about: 'the response is not JSON-RPC, belongs to another request, or is too large',
  },
  hash_mismatch: { meaning: 'unknown', about: 'the response contains another transaction hash' },
  reverted: { meaning: 'refused', about: 'included, and its execution failed' },
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
  nonce_taken: {
    meaning: 'unknown',
    about: 'accepted, but a foreign transaction used its nonce: use another seed',
  },
} as const satisfies Readonly<Record<string, FailureRow>>;

export type FailureClass = keyof typeof FAILURES;

export const FAILURE_CLASSES = Object.keys(FAILURES) as readonly FailureClass[];

const ROWS = Object.entries<FailureRow>(FAILURES) as readonly (readonly [FailureClass, FailureRow])[];
const MESSAGE_CHARACTERS_READ = 1_024;

/** The class of a JSON-RPC error. */
export function classOfRpcError(code: number | undefined, message: string): FailureClass {
  const text = message.slice(0, MESSAGE_CHARACTERS_READ);
  const [, expected, got] = GANACHE_NONCE.exec(text) ?? [];
  if (expected !== undefined) return Number(got) < Number(expected) ? 'nonce_too_low' : 'nonce_too_high';
  const byWords = ROWS.find(([, { words }]) => words?.test(text));
  const byCode = ROWS.find(([, { codes }]) => code !== undefined && codes?.includes(code));
  return (byWords ?? byCode)?.[0] ?? 'rpc_error';
}

export function meaningOf(failure: FailureClass): FailureMeaning {
  return FAILURES[failure].meaning;
}
