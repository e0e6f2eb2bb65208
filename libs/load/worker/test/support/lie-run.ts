import { contractAddress, toHex } from '#load/chain';
import { OracleFold, type Verdicts, type Violation } from '#load/oracle';
import type { Tally } from '#load/protocol';
import { LIES, LyingProxy } from '#load/testing';
import { AddressBook, DEVELOPMENT_FUNDER_KEY, DEVELOPMENT_ACCOUNTS, fundAccounts } from '#load/worker';
import { findAnvil } from '../../../../../apps/sequencer/src/anvil/anvil-binary.ts';
import { startAnvilNode } from '../../../../../apps/sequencer/src/anvil/start-anvil-node.ts';
import type { SequencerNode } from '../../../../../apps/sequencer/src/sequencer-node.ts';
import { CHAIN_ID, FUND_WEI, silentLog } from './test-chain.ts';
import { planFor, type PlanParts, stage, TestRun } from './test-run.ts';

const ACCOUNTS = 12;
const BLOCK_MS = 250;
/** The signer of the development sequencer's feed. */
export const FEED_SIGNER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const MIX = [
  { kind: 'transfer', weight: 6 },
  { kind: 'erc20_transfer', weight: 2 },
  { kind: 'deploy', weight: 2, bytes: 10 },
];

export interface JudgedRun {
  readonly tally: Tally;
  readonly verdicts: Verdicts;
  readonly violations: readonly Violation[];
  /** Kinds of findings. */
  readonly findings: readonly string[];
}

export function anvilMissing(): string | undefined {
  try {
    findAnvil(process.env);
    return undefined;
  } catch {
    return 'there is no anvil on this machine';
  }
}

/**
 * A real EVM node with its feed, in this process, and short load tests of it, each with its own accounts.
 */
export class AnvilSite {
  readonly rpcUrl: string;
  readonly feedUrl: string;
  readonly #node: SequencerNode;
  #accounts = 0;

  static async start(blockMs = BLOCK_MS): Promise<AnvilSite> {
    const settings = {
      mode: 'anvil',
      host: '127.0.0.1',
      rpcPort: 0,
      feedPort: 0,
      chainId: CHAIN_ID,
      blockMs,
      logFormat: 'text',
      logLevel: 'silent',
      timeboostController: '',
      timeboostRoundS: 60,
    } as const;
    return new AnvilSite(await startAnvilNode(settings, findAnvil(process.env), silentLog()));
  }

  private constructor(node: SequencerNode) {
    this.#node = node;
    this.rpcUrl = `http://127.0.0.1:${node.rpcPort}`;
    this.feedUrl = `ws://127.0.0.1:${node.feedPort}`;
  }

  close(): Promise<void> {
    return this.#node.close();
  }

  async ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(this.rpcUrl, { method: 'POST', headers, body });
    const answer = (await reply.json()) as { readonly result?: unknown; readonly error?: unknown };
    if (answer.error !== undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  }

  /** Runs a load against a sequencer with this fault. */
  async lied(name: string, more: PlanParts = {}): Promise<JudgedRun> {
    const lie = LIES[name];
    if (lie === undefined) throw new Error(`no lie is named ${name}`);
    const proxy = await LyingProxy.start({ rpcUrl: this.rpcUrl, feedUrl: this.feedUrl, lie });
    try {
      // No signatures: a falsified message would be detected by its signature alone.
      const isSigned = name === 'feed_signatures_junk';
      return await this.judged(proxy, { ...(!isSigned && { feedSigner: undefined }), ...more });
    } finally {
      await proxy.close();
    }
  }

  /** Runs a load, directly or through a proxy; `prepare` as for a run. */
  async judged(
    target: Pick<AnvilSite, 'rpcUrl' | 'feedUrl'> = this,
    more: PlanParts = {},
    first = this.nextAccounts(),
    prepare?: Parameters<TestRun['toTheEnd']>[0],
  ): Promise<JudgedRun> {
    await this.fund(first);
    const plan = planFor(target, {
      mix: MIX,
      load: { stages: [stage(5_000, 30)] },
      feedSigner: FEED_SIGNER,
      correlation: { timeoutMs: 2_000, feed: 'per_edge' },
      ...more,
      accounts: { first, count: ACCOUNTS, inflightPerAccount: 1 },
    });
    const ended = await new TestRun(plan).toTheEnd(prepare);
    const { tally, phase, reason } = ended.progress;
    if (phase !== 'done') throw new Error(`the run ended ${phase}: ${reason}`);
    const violations: Violation[] = [];
    const fold = new OracleFold({
      accountCounts: new Map([['edge-1', ACCOUNTS]]),
      hasFeed: !plan.includes('"feed":"off"'),
      onViolation: (violation) => violations.push(violation),
    });
    for (const batches of ended.batches) fold.apply('edge-1', batches);
    const verdicts = fold.conclude(new Map([['edge-1', { isLost: false, includedCount: tally.included }]]));
    return { tally, verdicts, violations, findings: [...(fold.findings.get('edge-1')?.keys() ?? [])] };
  }

  /** The first number of a range of unused accounts. */
  nextAccounts(): number {
    this.#accounts += ACCOUNTS;
    return this.#accounts;
  }

  /** The number of transactions of these accounts in blocks. */
  async minedOf(first: number): Promise<number> {
    const book = await AddressBook.derive(DEVELOPMENT_ACCOUNTS, first, ACCOUNTS);
    const nonces = await Promise.all(
      Array.from({ length: ACCOUNTS }, (_, at) =>
        this.ask('eth_getTransactionCount', toHex(book.at(at)), 'latest'),
      ),
    );
    return nonces.reduce<number>((sum, nonce) => sum + Number(nonce), 0);
  }

  /** The number of contracts created by the account with this number. */
  async contractsOf(account: number): Promise<number> {
    const address = (await AddressBook.derive(DEVELOPMENT_ACCOUNTS, account, 1)).at(0);
    const count = Number(await this.ask('eth_getTransactionCount', toHex(address), 'latest'));
    const codes = await Promise.all(
      Array.from({ length: count }, (_, nonce) =>
        this.ask('eth_getCode', toHex(contractAddress(address, nonce)), 'latest'),
      ),
    );
    return codes.filter((code) => code !== '0x').length;
  }

  async fund(first: number): Promise<void> {
    const book = await AddressBook.derive(DEVELOPMENT_ACCOUNTS, first, ACCOUNTS);
    await fundAccounts({
      target: { url: this.rpcUrl, timeoutMs: 5_000, chainId: CHAIN_ID, priorityFee: 0n },
      funderKey: DEVELOPMENT_FUNDER_KEY,
      addresses: Array.from({ length: ACCOUNTS }, (_, at) => book.at(at)),
      fundWei: FUND_WEI,
    });
  }
}

/**
 * The reasons why a run does not pass: failed checks, and counted faults.
 */
export function againstIt({ tally, verdicts }: JudgedRun): readonly string[] {
  const checks = Object.entries(verdicts).flatMap(([check, { verdict, gaps }]) =>
    verdict === 'pass' ? [] : [`${check} ${verdict} ${gaps.map(({ reason }) => reason).join()}`.trim()],
  );
  const { ackedLost, failedUnexpected, includedAfterError, feedGaps, feedReorganisations, feedDuplicates } =
    tally;
  const counts = {
    ackedLost,
    failedUnexpected,
    includedAfterError,
    feedGaps,
    feedReorganisations,
    feedDuplicates,
  };
  return [
    ...checks,
    ...Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${name} ${count}`] : [])),
  ];
}
