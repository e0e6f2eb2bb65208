import { toHex, toQuantity, type TransactionEnvelope } from '#load/chain';
import type { BlockEntry } from './block-columns.ts';
import type { Block } from './block.ts';
import { BASE_FEE_WEI, BLOCK_GAS_MAX } from './chain-rules.ts';
import { parentBlockNumber } from './parent-chain.ts';

const ZERO_HASH = `0x${'0'.repeat(64)}`;
const MINER = '0xa4b000000000000000000073657175656e636572';

/** Unsupported fields are zeros, because clients require the members. */
const CONSTANT_MEMBERS = {
  sha3Uncles: ZERO_HASH,
  miner: MINER,
  stateRoot: ZERO_HASH,
  transactionsRoot: ZERO_HASH,
  receiptsRoot: ZERO_HASH,
  logsBloom: `0x${'0'.repeat(512)}`,
  difficulty: '0x1',
  extraData: ZERO_HASH,
  mixHash: ZERO_HASH,
  nonce: '0x0000000000000001',
  uncles: [],
  gasLimit: toQuantity(BLOCK_GAS_MAX),
  baseFeePerGas: toQuantity(BASE_FEE_WEI),
};

/** A block with the hashes of its transactions, or the transactions themselves. */
export function blockJson(block: Block, isFull: boolean): string {
  const { number, timestamp, parentHash } = block.header;
  const head = JSON.stringify({
    number: toQuantity(number),
    hash: toHex(block.hash),
    parentHash: toHex(parentHash),
    timestamp: toQuantity(timestamp),
    gasUsed: toQuantity(block.transactions.gasUsedByAll),
    size: toQuantity(block.transactions.raws.length),
    l1BlockNumber: toQuantity(parentBlockNumber(timestamp)),
    ...CONSTANT_MEMBERS,
  });
  return `${head.slice(0, -1)},"transactions":[${transactionsOf(block, isFull).join(',')}]}`;
}

function transactionsOf(block: Block, isFull: boolean): string[] {
  return isFull
    ? Array.from(block.transactions.entries(), (entry) => transactionJson(block, entry))
    : Array.from(block.transactions.hashes(), (hash) => `"${toHex(hash)}"`);
}

/** A transaction of a block, in the form of nodes. */
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

const NO_BLOOM = `0x${'0'.repeat(512)}`;

const PRICE = toQuantity(BASE_FEE_WEI);

/** The receipts of a block, as a JSON list. */
export function receiptsJson(block: Block): string {
  const receipts: string[] = [];
  let cumulative = 0;
  for (const entry of block.transactions.entries()) {
    cumulative += entry.gasUsed;
    receipts.push(receiptText(block, entry, cumulative));
  }
  return `[${receipts.join(',')}]`;
}

/** One receipt. */
export function receiptJson(block: Block, entry: BlockEntry): string {
  let cumulative = 0;
  for (let index = 0; index <= entry.index; index++) cumulative += block.transactions.entry(index).gasUsed;
  return receiptText(block, entry, cumulative);
}

/** Concatenated by hand: a busy second has thousands of them. */
function receiptText(block: Block, entry: BlockEntry, cumulativeGasUsed: number): string {
  const { envelope, sender, contract, isSuccess, gasUsed, gasUsedForParentChain, index } = entry;
  const { number, timestamp } = block.header;
  return (
    `{"transactionHash":"${toHex(envelope.hash)}","transactionIndex":"${toQuantity(index)}",` +
    `"blockHash":"${toHex(block.hash)}","blockNumber":"${toQuantity(number)}",` +
    `"from":"${toHex(sender)}","to":${hexOrNull(envelope.to)},` +
    `"cumulativeGasUsed":"${toQuantity(cumulativeGasUsed)}","gasUsed":"${toQuantity(gasUsed)}",` +
    `"gasUsedForL1":"${toQuantity(gasUsedForParentChain)}",` +
    `"l1BlockNumber":"${toQuantity(parentBlockNumber(timestamp))}",` +
    `"effectiveGasPrice":"${PRICE}","contractAddress":${hexOrNull(contract)},"logs":[],` +
    `"logsBloom":"${NO_BLOOM}","status":"${isSuccess ? '0x1' : '0x0'}","type":"${toQuantity(envelope.type)}"}`
  );
}

function hexOrNull(bytes: Uint8Array | null): string {
  return bytes === null ? 'null' : `"${toHex(bytes)}"`;
}
