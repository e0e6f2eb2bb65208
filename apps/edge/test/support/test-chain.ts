import { AddressBook, DEVELOPMENT_FUNDER_KEY, DEVELOPMENT_ACCOUNTS, fundAccounts } from '#load/worker';
import { createLogger } from '#platform/observability';
import { parseFaults } from '../../../sequencer/src/fault-plan.ts';
import type { SequencerNode } from '../../../sequencer/src/sequencer-node.ts';
import { startSim } from '../../../sequencer/src/sim/start-sim.ts';

const CHAIN_ID = 412_346;
const FUND_WEI = 10n ** 18n;
const FUNDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const ACCOUNTS = 10;

export interface PlanParts {
  readonly seconds?: number;
  readonly funder?: { readonly address: string } | null;
  readonly [name: string]: unknown;
}

/** A simulated sequencer with ten accounts that hold the balance of a plan. */
export class TestChain {
  readonly #node: SequencerNode;

  static async start(...faults: readonly string[]): Promise<TestChain> {
    const log = createLogger({ format: 'json', level: 'silent' });
    const settings = {
      mode: 'sim',
      host: '127.0.0.1',
      rpcPort: 0,
      feedPort: 0,
      chainId: CHAIN_ID,
      blockMs: 50,
      logFormat: 'text',
      logLevel: 'silent',
      timeboostController: '',
      timeboostRoundS: 60,
    } as const;
    const chain = new TestChain(await startSim(settings, parseFaults(faults), log));
    const book = await AddressBook.derive(DEVELOPMENT_ACCOUNTS, 0, ACCOUNTS);
    await fundAccounts({
      target: { url: chain.rpcUrl, timeoutMs: 2_000, chainId: CHAIN_ID, priorityFee: 0n },
      funderKey: DEVELOPMENT_FUNDER_KEY,
      addresses: Array.from({ length: ACCOUNTS }, (_, at) => book.at(at)),
      fundWei: FUND_WEI,
    });
    return chain;
  }

  private constructor(node: SequencerNode) {
    this.#node = node;
  }

  get rpcUrl(): string {
    return `http://127.0.0.1:${this.#node.rpcPort}`;
  }

  /** A plan for this chain; its defaults are small and quick. */
  plan({ seconds = 0.5, funder = { address: FUNDER }, ...more }: PlanParts = {}): string {
    return JSON.stringify({
      runId: 'run-1',
      edgeId: 'edge-1',
      seed: { fixed: 'development' },
      chainId: CHAIN_ID,
      rpcUrls: [this.rpcUrl],
      feedUrl: `ws://127.0.0.1:${this.#node.feedPort}`,
      rpcTimeoutMs: 1_000,
      accounts: {
        first: 0,
        count: ACCOUNTS,
        inflightPerAccount: 1,
        fundWei: FUND_WEI.toString(),
        funder,
        reclaim: false,
      },
      load: {
        model: 'open',
        stages: [{ name: 's', durationMs: seconds * 1_000, startRate: 60, endRate: 60, exclude: false }],
        arrival: 'uniform',
        maxInflight: 100,
      },
      mix: [{ kind: 'transfer', weight: 1 }],
      fees: { maxFeeMultiplier: 3, gasLimit: 'estimate' },
      correlation: { timeoutMs: 1_000, feed: 'per_edge' },
      randomSeed: 7,
      telemetry: { intervalMs: 200 },
      ...more,
    });
  }

  stop(): Promise<void> {
    return this.#node.close();
  }
}
