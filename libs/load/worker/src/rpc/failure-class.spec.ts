import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { classOfRpcError, FAILURE_CLASSES, meaningOf } from './failure-class.ts';

interface ClientFailure {
  readonly client: string;
  readonly code: number;
  readonly failure: string;
  readonly message: string;
}

function clientFailures(): readonly ClientFailure[] {
  const text = readFileSync(new URL('../../test/data/client-failures.txt', import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [client = '', code, failure = '', ...message] = line.split(' | ');
    return { client, code: Number(code), failure, message: message.join(' | ') };
  });
}

describe('the words of clients', () => {
  const failures = clientFailures();

  it.each(failures)('$client: $message is $failure', ({ code, failure, message }) => {
    expect(classOfRpcError(code, message)).toBe(failure);
  });

  it('are those of all clients and providers that a run may meet', () => {
    expect([...new Set(failures.map(({ client }) => client))]).toEqual([
      ...['geth', 'nitro', 'nethermind', 'besu', 'erigon', 'reth', 'anvil', 'hardhat', 'ganache'],
      ...['openethereum', 'evmos', 'proxyd', 'alchemy', 'quicknode', 'infura'],
    ]);
  });

  it('have their classes also in capitals and behind a prefix', () => {
    const failed = failures.filter(({ code, failure, message }) => {
      return [`upstream: ${message}`, message.toUpperCase()].some(
        (text) => classOfRpcError(code, text) !== failure,
      );
    });

    expect(failed.map(({ message }) => message)).toEqual([]);
  });
});

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
    [-32_601, 'Method not found', 'method_missing'],
    [-32_004, 'Method eth_getBlockReceipts is not supported', 'method_missing'],
    [-32_700, 'The method eth_getBlockReceipts does not exist/is not available', 'method_missing'],
    [-32_004, 'not supported', 'method_missing'],
    [-32_601, '', 'method_missing'],
    [
      -32_000,
      "Nonce too low. Expected nonce to be 1 but got 0. Note that transactions can't be queued when automining.",
      'nonce_too_low',
    ],
    [
      -32_000,
      "Nonce too high. Expected nonce to be 1 but got 50. Note that transactions can't be queued when automining.",
      'nonce_too_high',
    ],
    [
      -32_000,
      "the tx doesn't have the correct nonce. account has nonce of: 7 tx has nonce of: 3",
      'nonce_too_low',
    ],
    [
      -32_000,
      "the tx doesn't have the correct nonce. account has nonce of: 7 tx has nonce of: 12",
      'nonce_too_high',
    ],
    [
      -32_000,
      "Sender doesn't have enough funds to send tx. The max upfront cost is: 21 and the sender's balance is: 0.",
      'insufficient_funds',
    ],
    [
      -32_000,
      'Transaction maxFeePerGas (1) is too low for the next block, which has a baseFeePerGas of 20810237',
      'fee_too_low',
    ],
    [-32_003, 'transaction underpriced', 'fee_too_low'],
    [-32_000, 'transaction underpriced: gas tip cap 0, minimum needed 1000000', 'fee_too_low'],
    [-32_000, 'Transaction requires at least 21000 gas but got 20000', 'gas_too_low'],
    [
      -32_000,
      'Transaction gas limit is 1000000000 and exceeds transaction gas cap of 16777216',
      'gas_too_high',
    ],
    [-32_000, 'Transaction gas limit is 9 and exceeds block gas limit of 8', 'gas_too_high'],
    [-32_000, 'intrinsic gas too low -- tx.gas_limit > env.block.gas_limit', 'gas_too_high'],
    [
      -32_602,
      'Trying to send a raw transaction with an invalid chainId. The expected chainId is 1',
      'chain_id_mismatch',
    ],
    [-32_000, 'Invalid chain id (1) for chain with id 31337.', 'chain_id_mismatch'],
    [-32_602, 'The max length allowed by EIP-3860 is 49152.', 'data_too_large'],
    [-32_700, 'Could not decode transaction: invalid RLP', 'request_invalid'],
    [-32_602, 'missing value for required argument 0', 'request_invalid'],
    [-32_000, 'rlp: expected input list for types.DynamicFeeTx', 'request_invalid'],
    [-32_603, 'Internal error', 'rpc_internal'],
    [-32_000, 'the moon is in the wrong phase', 'rpc_error'],
    [undefined, '', 'rpc_error'],
  ])('%s %s is %s', (code, message, expected) => {
    expect(classOfRpcError(code, message)).toBe(expected);
  });

  it('needs a bounded time for a very long message', () => {
    const message = 'sequencer '.repeat(100_000);

    expect(classOfRpcError(-32_000, message)).toBe('rpc_error');
  });

  it('has the consequence for the nonce for each failure', () => {
    const refused = FAILURE_CLASSES.filter((failure) => meaningOf(failure) === 'refused');

    expect(refused).toContain('fee_too_low');
    expect(refused).not.toContain('queue_timeout');
    expect(meaningOf('nonce_too_low')).toBe('low');
    expect(meaningOf('nonce_too_high')).toBe('high');
  });
});
