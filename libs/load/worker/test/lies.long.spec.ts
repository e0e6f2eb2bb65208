/**
 * Short load tests of a real EVM node, through a proxy that lies for it; skipped, and loudly, without one.
 */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { toQuantity } from '#load/chain';
import { LyingProxy, type MakeLie } from '#load/testing';
import { againstIt, anvilMissing, AnvilSite, type JudgedRun } from './support/lie-run.ts';
import { stage } from './support/test-run.ts';
import { pause } from '#platform/foundation';
import { describeUnless } from '#testing';

const describeWithAnvil = describeUnless(anvilMissing());

/** A loaded machine takes its time. */
jest.setTimeout(600_000);

/** What is held against the node. */
const redOf = ({ violations }: JudgedRun): readonly string[] =>
  violations.map(({ check, kind, expected, observed }) => `${check} ${kind}: ${expected}, got ${observed}`);

/** Looks now and then, so that node and run have the processor. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50);
}

describeWithAnvil('a load test of a real node', () => {
  let site: AnvilSite;
  beforeAll(async () => {
    site = await AnvilSite.start();
  });
  afterAll(() => site.close());

  it('holds when the node tells the truth, with every check', async () => {
    const run = await site.judged();

    expect(againstIt(run)).toEqual([]);
    expect(run.findings).toEqual([]);
    expect(run.tally.included).toBeGreaterThan(100);
  });

  it.each([
    ['executed_twice_later', /^nonce executed_twice$/],
    ['price_eightfold', /^gas price_/],
    ['block_gas_wrong', /^gas block_gas_sum$/],
    ['token_units_lost', /^balance token_debited$/],
    ['feed_reordered', /^nonce feed_order$/],
    ['feed_repeats_late', /^nonce (?:duplicate|regression)$/],
    ['feed_signatures_junk', /^nonce feed_signature$/],
  ])('is not fooled by %s', async (lie, found) => {
    const { violations } = await site.lied(lie);

    const kinds = violations.map(({ check, kind }) => `${check} ${kind}`);
    expect(kinds.filter((kind) => found.test(kind))).not.toEqual([]);
  });

  it('accuses nobody when two runs share their accounts', async () => {
    const first = site.nextAccounts();
    // Both deploy a token from the same account, at the same time.
    const sending = (valueWei: string): Promise<JudgedRun> => {
      const mix = [
        { kind: 'transfer', weight: 2, valueWei },
        { kind: 'erc20_transfer', weight: 1, valueWei },
      ];
      return site.judged(site, { mix }, first);
    };
    const runs = await Promise.all([sending('1'), sending('2')]);

    expect(await site.contractsOf(first)).toBe(2);
    for (const run of runs) {
      expect(redOf(run)).toEqual([]);
      expect(run.tally.ackedLost).toBe(0);
    }
    // One of them may have been first with everything; the other has then seen what it did.
    const gaps = runs.flatMap(({ verdicts }) => verdicts.balance.gaps.map(({ reason }) => reason));
    expect(runs.flatMap(({ findings }) => findings)).toContain('foreign');
    expect(gaps).toContain('foreign_transactions');
  });

  it('accuses nobody of a reorganisation', async () => {
    const headNow = async (): Promise<number> => Number(await site.ask('eth_blockNumber'));
    const accounts = site.nextAccounts();
    const parts = {
      // So few that a busy machine keeps up: what is given up is never included.
      load: { stages: [stage(600_000, 8)] },
      correlation: { timeoutMs: 30_000, feed: 'per_edge' },
    };
    const run = await site.judged(site, parts, accounts, async ({ load, warnings }) => {
      const start = await headNow();
      const before = await site.minedOf(accounts);
      // As blocks say, not the feed: of blocks that it has not read no run can say that they are replaced.
      const placed = (): number => load.load.latencies([]).get('send_block')?.count ?? 0;
      return async () => {
        await until(() => placed() >= 20);
        // No more blocks until the run has read the last one: it is among those that are replaced.
        await site.ask('evm_setIntervalMining', 0);
        await until(async () => placed() >= (await site.minedOf(accounts)) - before);
        // Not so many that it has forgotten the first.
        await site.ask('anvil_reorg', Math.min((await headNow()) - start, 24), []);
        await site.ask('evm_setIntervalMining', 1);
        await until(() => warnings.has('load.block_replaced'));
        load.stop(false, 'seen');
      };
    });

    expect(redOf(run)).toEqual([]);
    expect(run.tally.ackedLost).toBe(0);
    expect(run.findings).toContain('block_replaced');
  });
});

describeWithAnvil('a node that takes longer than a correlation', () => {
  it('is not accused where the feed is a block ahead of the RPC as the run ends', async () => {
    const site = await AnvilSite.start();
    /** What the RPC holds for the last block. */
    let head = Infinity;
    let made: Promise<void> | undefined;
    const makeBlock = async (): Promise<void> => {
      head = Number(await site.ask('eth_blockNumber'));
      await site.ask('evm_mine');
      void pause(1_000).then(() => (head = Infinity));
      // The feed is there first.
      await pause(300);
    };
    // Asked at the end what is pending, the node makes a block, which the feed tells, and the RPC later on.
    const lie: MakeLie = (node) => ({
      instead: async ({ method, params }) => {
        if (method === 'eth_getTransactionByHash') {
          const result = await node.ask(method, params);
          await (made ??= makeBlock());
          return { result };
        }
        if (head === Infinity) return undefined;
        if (method === 'eth_blockNumber') return { result: toQuantity(head) };
        if (method !== 'eth_getBlockByNumber') return undefined;
        const [block, isWhole] = params;
        if (block === 'latest') return { result: await node.ask(method, [toQuantity(head), isWhole]) };
        return Number(block) > head ? { result: null } : undefined;
      },
    });
    const proxy = await LyingProxy.start({ rpcUrl: site.rpcUrl, feedUrl: site.feedUrl, lie });
    try {
      const run = await site.judged(
        proxy,
        { feedSigner: undefined },
        site.nextAccounts(),
        async ({ load }) => {
          await Promise.resolve();
          return async () => {
            await until(() => load.progress().tally.included >= 20);
            await site.ask('evm_setIntervalMining', 0);
          };
        },
      );

      expect(made).toBeDefined();
      expect(redOf(run)).toEqual([]);
      expect(run.tally.ackedLost).toBe(0);
    } finally {
      await proxy.close();
      await site.close();
    }
  });

  it('has transactions pending, and none lost', async () => {
    const site = await AnvilSite.start(6_000);
    try {
      const run = await site.judged();

      expect(redOf(run)).toEqual([]);
      expect(run.tally.ackedLost).toBe(0);
    } finally {
      await site.close();
    }
  });
});
