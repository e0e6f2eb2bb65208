import { toHex } from '#load/chain';
import { failure, result, type RpcRequest, ScriptedRpc } from './scripted-rpc.ts';

export const OWN = `0x${'0a'.repeat(20)}`;
export const OTHER = `0x${'0b'.repeat(20)}`;
export const GAS = 21_000;

type Json = Readonly<Record<string, unknown>>;

const quantity = (number: number): string => `0x${number.toString(16)}`;

/** The hash of a block or a transaction. */
export function hashAt(salt: number, number: number): string {
  const hash = new Uint8Array(32).fill(salt);
  new DataView(hash.buffer).setUint32(28, number);
  return toHex(hash);
}

export interface ScriptedBlock {
  readonly number: number;
  readonly header: Json;
  readonly receipts: unknown;
  readonly transactions: readonly Json[];
}

/** A chain that a test builds block by block, with a real HTTP server. */
export class ScriptedChain {
  readonly blocks: ScriptedBlock[] = [];
  readonly asked: string[] = [];
  /** Answers `eth_getBlockReceipts`. */
  hasWholeBlocks = true;
  /** Changes answers with receipts, of a block or of a single one. */
  receiptsNow: (receipts: unknown) => unknown = (receipts) => receipts;
  /** The whole reply to requests of this method, with HTTP status 403. */
  forbidden: string | undefined;
  rpc!: ScriptedRpc;
  #salt = 1;

  static async start(): Promise<ScriptedChain> {
    const chain = new ScriptedChain();
    chain.add();
    chain.rpc = await ScriptedRpc.start(({ method }, reply, all) => {
      if (method === chain.forbidden) {
        reply.writeHead(403).end('forbidden');
        return;
      }
      const answers = all.map((request) => chain.#answer(request));
      reply.end(all.length === 1 ? answers[0] : `[${answers.join(',')}]`);
    });
    return chain;
  }

  /** A block with one transaction for each sender; the first is block 0. */
  add(...senders: readonly string[]): ScriptedBlock {
    const number = this.blocks.length;
    const hash = hashAt(this.#salt, number);
    const transactions = senders.map((from, index) => ({
      hash: hashAt(100 + index, number),
      from,
      to: OTHER,
    }));
    const block = {
      number,
      header: {
        number: quantity(number),
        hash,
        parentHash: this.blocks.at(-1)?.header['hash'] ?? hashAt(0, 0),
        baseFeePerGas: '0x7',
        timestamp: quantity(1_700_000_000 + number),
        gasUsed: quantity(GAS * senders.length),
        transactions: transactions.map((one) => one.hash),
      },
      receipts: transactions.map((one, index) => ({
        transactionHash: one.hash,
        transactionIndex: quantity(index),
        blockHash: hash,
        blockNumber: quantity(number),
        from: one.from,
        to: one.to,
        status: '0x1',
        gasUsed: quantity(GAS),
        cumulativeGasUsed: quantity(GAS * (index + 1)),
        effectiveGasPrice: '0x7',
      })),
      transactions,
    };
    this.blocks.push(block);
    return block;
  }

  /** Falsifies the last block. */
  falsify(change: (block: ScriptedBlock) => Partial<ScriptedBlock>): void {
    const last = this.blocks.pop();
    if (last !== undefined) this.blocks.push({ ...last, ...change(last) });
  }

  /** Replaces the last blocks by the same number of new ones. */
  reorganise(depth: number): void {
    const gone = this.blocks.splice(this.blocks.length - depth);
    this.#salt++;
    for (const { transactions } of gone) this.add(...transactions.map(({ from }) => String(from)));
  }

  stop(): Promise<void> {
    return this.rpc.stop();
  }

  #answer({ id, method, params }: RpcRequest): string {
    this.asked.push(method);
    const [first] = params;
    const block = this.blocks[Number(first)];
    switch (method) {
      case 'eth_blockNumber':
        return result(id, quantity(this.blocks.length - 1));
      case 'eth_getBlockByNumber':
        return result(id, block === undefined ? null : headerOf(block, params[1] === true));
      case 'eth_getBlockReceipts':
        return this.hasWholeBlocks
          ? result(id, this.receiptsNow(block?.receipts ?? null))
          : failure(id, -32_601, 'the method eth_getBlockReceipts does not exist');
      case 'eth_getTransactionReceipt':
        return result(id, this.receiptsNow(this.#receipt(first) ?? null));
      default:
        return failure(id, -32_601, `the method ${method} does not exist`);
    }
  }

  #receipt(hash: unknown): unknown {
    const all = this.blocks.flatMap(({ receipts }) => receipts as readonly Json[]);
    return all.find((receipt) => receipt['transactionHash'] === hash);
  }
}

function headerOf({ header, transactions }: ScriptedBlock, isFull: boolean): Json {
  return isFull ? { ...header, transactions } : header;
}
