import { AddressBook, DEVELOPMENT_FUNDER_KEY, DEVELOPMENT_ACCOUNTS, fundAccounts } from '#load/worker';
import { createLogger, type Log } from '#platform/observability';
import { parseFaults } from '../../../../../apps/sequencer/src/fault-plan.ts';
import type { SequencerNode } from '../../../../../apps/sequencer/src/sequencer-node.ts';
import { startSim } from '../../../../../apps/sequencer/src/sim/start-sim.ts';

export const CHAIN_ID = 412_346;
export const FUNDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
export const FUND_WEI = 10n ** 18n;
const BLOCK_MS = 50;

/** A simulated sequencer in this process, with the given faults. */
export class TestChain {
  readonly rpcUrl: string;
  readonly feedUrl: string;
  readonly #node: SequencerNode;

  static start(...faults: readonly string[]): Promise<TestChain> {
    return TestChain.startWith({}, faults);
  }

  /** With the express lane if there is a controller. */
  static async startWith(
    more: { readonly timeboostController?: string; readonly timeboostRoundS?: number },
    faults: readonly string[] = [],
  ): Promise<TestChain> {
    const settings = {
      mode: 'sim',
      host: '127.0.0.1',
      rpcPort: 0,
      feedPort: 0,
      chainId: CHAIN_ID,
      blockMs: BLOCK_MS,
      logFormat: 'text',
      logLevel: 'silent',
      timeboostController: '',
      timeboostRoundS: 60,
      ...more,
    } as const;
    return new TestChain(await startSim(settings, parseFaults(faults), silentLog()));
  }

  private constructor(node: SequencerNode) {
    this.#node = node;
    this.rpcUrl = `http://127.0.0.1:${node.rpcPort}`;
    this.feedUrl = `ws://127.0.0.1:${node.feedPort}`;
  }

  /** Funds the first accounts of the development seed for a plan. */
  async fund(count: number): Promise<AddressBook> {
    const book = await AddressBook.derive(DEVELOPMENT_ACCOUNTS, 0, count);
    await fundAccounts({
      target: { url: this.rpcUrl, timeoutMs: 2_000, chainId: CHAIN_ID, priorityFee: 0n },
      funderKey: DEVELOPMENT_FUNDER_KEY,
      addresses: Array.from({ length: count }, (_, at) => book.at(at)),
      fundWei: FUND_WEI,
    });
    return book;
  }

  stop(): Promise<void> {
    return this.#node.close();
  }
}

export function silentLog(): Log {
  return createLogger({ format: 'json', level: 'silent' });
}
