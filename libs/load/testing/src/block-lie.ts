/**
 * A lie about the content of blocks, consistent in every place where it is visible: the block, its receipts,
 * the receipt of a single transaction, and the balances from that block on.
 */
import { type Json, type Lie, type NodeCall, quantity, type HonestNode } from './lie.ts';

/** A block with its receipts, as the proxy returns it. */
export interface ServedBlock {
  readonly header: Json;
  readonly receipts: readonly Json[];
}

export interface ForgedBlock extends ServedBlock {
  /** The surplus in wei of each account from this block on; negative for a deficit. */
  readonly moved?: ReadonlyMap<string, bigint>;
}

export type ForgeBlock = (block: ServedBlock, number: number) => ForgedBlock;

export class BlockLie implements Lie {
  readonly #node: HonestNode;
  readonly #forge: ForgeBlock;
  /** Forged blocks by the real hash of the block. */
  readonly #forged = new Map<string, ForgedBlock & { readonly number: number }>();

  constructor(node: HonestNode, forge: ForgeBlock) {
    this.#node = node;
    this.#forge = forge;
  }

  async answer({ method, params }: NodeCall, result: unknown): Promise<unknown> {
    if (result === null) return null;
    switch (method) {
      case 'eth_getBlockByNumber': {
        const { header } = await this.#block((result as Json)['number']);
        return params[1] === true ? { ...header, transactions: (result as Json)['transactions'] } : header;
      }
      case 'eth_getBlockReceipts':
        return (await this.#block(params[0])).receipts;
      case 'eth_getTransactionReceipt': {
        const { receipts } = await this.#block((result as Json)['blockNumber']);
        return receipts.find((one) => one['transactionHash'] === params[0]) ?? null;
      }
      case 'eth_getBalance':
        return quantity(BigInt(result as string) + this.#movedOf(String(params[0]).toLowerCase(), params[1]));
      default:
        return result;
    }
  }

  async #block(tag: unknown): Promise<ForgedBlock> {
    const [header, receipts] = (await Promise.all([
      this.#node.ask('eth_getBlockByNumber', [tag, false]),
      this.#node.ask('eth_getBlockReceipts', [tag]),
    ])) as [Json, readonly Json[]];
    const key = String(header['hash']);
    const known = this.#forged.get(key);
    if (known !== undefined) return known;
    const number = Number(header['number']);
    const forged = { ...this.#forge({ header, receipts }, number), number };
    this.#forged.set(key, forged);
    return forged;
  }

  #movedOf(account: string, tag: unknown): bigint {
    const last = typeof tag === 'string' && tag.startsWith('0x') ? Number(tag) : Infinity;
    let sum = 0n;
    for (const { number, moved } of this.#forged.values())
      if (number <= last) sum += moved?.get(account) ?? 0n;
    return sum;
  }
}

/** Replaces the receipts and recomputes the gas of the block and the cumulative gas of each receipt. */
export function withGas({ header }: ServedBlock, receipts: readonly Json[]): ServedBlock {
  let sum = 0n;
  const forged = receipts.map((receipt) => {
    sum += BigInt(String(receipt['gasUsed']));
    return { ...receipt, cumulativeGasUsed: quantity(sum) };
  });
  return { header: { ...header, gasUsed: quantity(sum) }, receipts: forged };
}

export function feeOf({ gasUsed, effectiveGasPrice }: Json): bigint {
  return BigInt(String(gasUsed)) * BigInt(String(effectiveGasPrice));
}
