import { toHex, toQuantity, type TransactionEnvelope } from '#load/chain';
import type { BlockEntry } from './block-columns.ts';
import type { Block } from './block.ts';
import { BASE_FEE_WEI } from './chain-rules.ts';

/** A transaction of a block, as nodes show it. */
export function transactionJson(block: Block, { envelope, sender, index }: BlockEntry): string {
  return JSON.stringify({
    blockHash: toHex(block.hash),
    blockNumber: toQuantity(block.header.number),
    transactionIndex: toQuantity(index),
    hash: toHex(envelope.hash),
    from: toHex(sender),
    to: envelope.to === null ? null : toHex(envelope.to),
    nonce: toQuantity(envelope.nonce),
    value: toQuantity(envelope.value),
    gas: toQuantity(envelope.gasLimit),
    input: toHex(envelope.data),
    type: toQuantity(envelope.type),
    chainId: toQuantity(envelope.chainId ?? 0),
    ...feesOf(envelope),
    ...signatureOf(envelope),
  });
}

function feesOf({ type, maxFeePerGas, maxPriorityFeePerGas }: TransactionEnvelope): object {
  if (type < 2) return { gasPrice: toQuantity(maxFeePerGas) };
  return {
    gasPrice: toQuantity(BASE_FEE_WEI),
    maxFeePerGas: toQuantity(maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(maxPriorityFeePerGas),
  };
}

function signatureOf({ type, accessList, signature: { v, r, s } }: TransactionEnvelope): object {
  const numbers = { v: toQuantity(v), r: quantityOf(r), s: quantityOf(s) };
  if (type === 0) return numbers;
  const entries = accessList.map(({ address, storageKeys }) => ({
    address: toHex(address),
    storageKeys: storageKeys.map(toHex),
  }));
  return { ...numbers, yParity: toQuantity(v), accessList: entries };
}

function quantityOf(bytes: Uint8Array): string {
  return toQuantity(BigInt(toHex(bytes)));
}
