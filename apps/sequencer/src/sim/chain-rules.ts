/** Costs and limits of the simulated chain. Amounts combined with wei are bigint. */
import type { TransactionEnvelope } from '#load/chain';

/** Wei per gas, constant. It is the whole price (Nitro takes no tips). */
export const BASE_FEE_WEI = 100_000_000n;

/** Gas limit of a block; its first transaction may exceed it. */
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

/** Intrinsic gas of a transaction (Shanghai). */
export function intrinsicGas({ data, to, accessList }: IntrinsicFields): number {
  let gas = TRANSACTION_GAS;
  for (const byte of data) gas += byte === 0 ? ZERO_BYTE_GAS : BYTE_GAS;
  for (const { storageKeys } of accessList) gas += ACCESS_ADDRESS_GAS + storageKeys.length * ACCESS_KEY_GAS;
  return to === null ? gas + CREATION_GAS + INIT_WORD_GAS * Math.ceil(data.length / WORD_BYTES) : gas;
}

type IntrinsicFields = Pick<TransactionEnvelope, 'data' | 'to' | 'accessList'>;

/** Gas for the parent chain's data, per byte of the signed transaction. */
export function parentChainGas(transactionBytes: number): number {
  return transactionBytes * PARENT_CHAIN_BYTE_GAS;
}

/** Gas for storing a contract's code. */
export function codeDepositGas(codeBytes: number): number {
  return codeBytes * CODE_BYTE_GAS;
}
