import { describe, expect, it } from '@jest/globals';
import { classOfRpcError, FAILURE_CLASSES, meaningOf } from './failure-class.ts';

describe('the class of an RPC error', () => {
  it.each([
    [-32_000, 'nonce too low: address 0x6Ac7, tx: 3 state: 5', 'nonce_too_low'],
    [-32_003, 'nonce too low', 'nonce_too_low'],
    [-32_000, 'nonce too high: address 0x6Ac7, tx: 9 state: 5', 'nonce_too_high'],
    [
      -32_000,
      'insufficient funds for gas * price + value: address 0x6Ac7 have 1 want 2',
      'insufficient_funds',
    ],
    [-32_003, 'Insufficient funds for gas * price + value', 'insufficient_funds'],
    [-32_000, 'already known', 'duplicate'],
    [-32_003, 'transaction already imported', 'duplicate'],
    [-32_000, 'replacement transaction underpriced', 'replacement_underpriced'],
    [
      -32_000,
      'max fee per gas less than block base fee: address 0x6Ac7, maxFeePerGas: 1, baseFee: 100000000',
      'fee_too_low',
    ],
    [-32_000, 'transaction underpriced: tip needed 1, tip permitted 0', 'fee_too_low'],
    [-32_000, 'max priority fee per gas higher than max fee per gas: address 0x6Ac7', 'fee_invalid'],
    [-32_000, 'tx fee (2.10 ether) exceeds the configured cap (1.00 ether)', 'fee_invalid'],
    [-32_000, 'intrinsic gas too low: have 20000, want 21000', 'gas_too_low'],
    [-32_000, 'exceeds block gas limit', 'gas_too_high'],
    [-32_003, 'intrinsic gas too high', 'gas_too_high'],
    [-32_000, 'oversized data: transaction size 200000, limit 131072', 'data_too_large'],
    [-32_000, 'max initcode size exceeded: code size 60000, limit 49152', 'data_too_large'],
    [-32_000, 'context deadline exceeded', 'queue_timeout'],
    [-32_000, 'sequencer temporarily not available', 'sequencer_unavailable'],
    [-32_000, 'invalid chain id for signer: have 1 want 412346', 'chain_id_mismatch'],
    [-32_000, 'invalid sender', 'signature_invalid'],
    [-32_000, 'transaction type not supported', 'type_unsupported'],
    [-32_005, 'daily request count exceeded', 'rate_limited'],
    [-32_601, 'the method eth_getBlockReceipts does not exist/is not available', 'method_missing'],
    [-32_602, 'missing value for required argument 0', 'request_invalid'],
    [-32_000, 'rlp: expected input list for types.DynamicFeeTx', 'request_invalid'],
    [-32_603, 'Internal error', 'rpc_internal'],
    [-32_000, 'the moon is in the wrong phase', 'rpc_error'],
    [undefined, '', 'rpc_error'],
  ])('%s %s is %s', (code, message, expected) => {
    expect(classOfRpcError(code, message)).toBe(expected);
  });

  it('takes a bounded time for a message without end', () => {
    const message = 'sequencer '.repeat(100_000);

    expect(classOfRpcError(-32_000, message)).toBe('rpc_error');
  });

  it('says of each failure what follows for the nonce', () => {
    const refused = FAILURE_CLASSES.filter((failure) => meaningOf(failure) === 'refused');

    expect(refused).toContain('fee_too_low');
    expect(refused).not.toContain('queue_timeout');
    expect(meaningOf('nonce_too_low')).toBe('low');
    expect(meaningOf('nonce_too_high')).toBe('high');
  });
});
