import { toHex, toQuantity } from '#load/chain';
import type { BlockEntry } from './block-columns.ts';
import type { Block } from './block.ts';
import { BASE_FEE_WEI } from './chain-rules.ts';
import { parentBlockNumber } from './parent-chain.ts';

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

/** Put together by hand: a busy second has thousands of them. */
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
