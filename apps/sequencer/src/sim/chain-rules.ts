/** What the simulated chain costs and allows. Gas and wei are bigint where they meet wei. */
import type { TransactionEnvelope } from '#load/chain';

/** Wei for each gas; it never changes, and nobody pays more (Nitro takes no tips). */
export const BASE_FEE_WEI = 100_000_000n;

/** What one block may spend; the first transaction of a block may spend more. */
export const BLOCK_GAS_MAX = 32_000_000;

/** Largest signed transaction (Nitro: max-tx-data-size). */
export const TRANSACTION_BYTES_MAX = 95_000;

const TRANSACTION_GAS = 21_000;
const CREATION_GAS = 32_000;
const INIT_WORD_GAS = 2;
const ZERO_BYTE_GAS = 4;
const BYTE_GAS = 16;
const ACCESS_ADDRESS_GAS = 2_400;
const ACCESS_KEY_GAS = 1_900;
const PARENT_CHAIN_BYTE_GAS = 2;
const CODE_BYTE_GAS = 200;
const WORD_BYTES = 32;

/** What a transaction spends before anything runs (Shanghai). */
export function intrinsicGas({ data, to, accessList }: IntrinsicFields): number {
  let gas = TRANSACTION_GAS;
  for (const byte of data) gas += byte === 0 ? ZERO_BYTE_GAS : BYTE_GAS;
  for (const { storageKeys } of accessList) gas += ACCESS_ADDRESS_GAS + storageKeys.length * ACCESS_KEY_GAS;
  return to === null ? gas + CREATION_GAS + INIT_WORD_GAS * Math.ceil(data.length / WORD_BYTES) : gas;
}

type IntrinsicFields = Pick<TransactionEnvelope, 'data' | 'to' | 'accessList'>;

/** What the parent chain's data costs: so much for each byte of the signed transaction. */
export function parentChainGas(transactionBytes: number): number {
  return transactionBytes * PARENT_CHAIN_BYTE_GAS;
}

/** What keeping a contract's code costs. */
export function codeDepositGas(codeBytes: number): number {
  return codeBytes * CODE_BYTE_GAS;
}
