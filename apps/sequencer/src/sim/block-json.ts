import { toHex, toQuantity } from '#load/chain';
import type { Block } from './block.ts';
import { BASE_FEE_WEI, BLOCK_GAS_MAX } from './chain-rules.ts';
import { parentBlockNumber } from './parent-chain.ts';
import { transactionJson } from './transaction-json.ts';

const ZERO_HASH = `0x${'0'.repeat(64)}`;
const MINER = '0xa4b000000000000000000073657175656e636572';

/** What this chain does not keep is there as zeros, because clients want the members. */
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
