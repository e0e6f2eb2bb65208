/**
 * Short load tests of a real EVM node, through a proxy that falsifies its answers; skipped with a message if
 * there is no node.
 */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { toQuantity } from '#load/chain';
import { LyingProxy, type MakeLie } from '#load/testing';
import { againstIt, anvilMissing, AnvilSite, type JudgedRun } from './support/lie-run.ts';
import { stage } from './support/test-run.ts';
import { pause } from '#platform/foundation';
import { describeUnless } from '#testing';

const describeWithAnvil = describeUnless(anvilMissing());

/** Generous, for a busy machine. */
jest.setTimeout(600_000);

/** The faults that a run reports of the node. */
const redOf = ({ violations }: JudgedRun): readonly string[] =>
  violations.map(({ check, kind, expected, observed }) => `${check} ${kind}: ${expected}, got ${observed}`);

/** Polls at intervals, to leave the processor to node and run. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50);
}

describeWithAnvil('a load test of a real node', () => {
  let site: AnvilSite;
  beforeAll(async () => {
    site = await AnvilSite.start();
  });
  afterAll(() => site.close());

  it('passes all checks with a correct node', async () => {
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
    ['feed_invents_empty', /^nonce feed_without_block$/],
    ['feed_invents_empty_with_its_hash', /^nonce feed_without_block$/],
    ['feed_invents_strange_with_junk_hash', /^nonce feed_without_block$/],
    ['feed_omits_beside_other_kind', /^nonce feed_omitted$/],
    ['receipt_from_other', /^gas receipt_fields$/],
    ['receipt_to_other', /^gas receipt_fields$/],
    ['receipt_type_other', /^gas receipt_fields$/],
    ['feed_repeats_late', /^nonce (?:duplicate|regression)$/],
    ['feed_signatures_junk', /^nonce feed_signature$/],
  ])('detects %s', async (lie, found) => {
    const { violations } = await site.lied(lie);

    const kinds = violations.map(({ check, kind }) => `${check} ${kind}`);
    expect(kinds.filter((kind) => found.test(kind))).not.toEqual([]);
  });

  it('reports no fault of the node if two runs share their accounts', async () => {
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

    // Each has a token of its own; one whose nonce seems taken by the other is deployed once more.
    expect(await site.contractsOf(first)).toBeGreaterThanOrEqual(2);
    for (const run of runs) {
      expect(redOf(run)).toEqual([]);
      expect(run.tally.ackedLost).toBe(0);
    }
    // One run may have been first with all transactions; the other has then seen them in blocks.
    const gaps = runs.flatMap(({ verdicts }) => verdicts.balance.gaps.map(({ reason }) => reason));
    expect(runs.flatMap(({ findings }) => findings)).toContain('foreign');
    expect(gaps).toContain('foreign_transactions');
  });

  it('reports no fault of the node after a reorganisation', async () => {
    const headNow = async (): Promise<number> => Number(await site.ask('eth_blockNumber'));
    const accounts = site.nextAccounts();
    const parts = {
      // A low rate, for a busy machine: transactions that are given up are never included.
      load: { stages: [stage(600_000, 8)] },
      correlation: { timeoutMs: 30_000, feed: 'per_edge' },
    };
    const run = await site.judged(site, parts, accounts, async ({ load, warnings }) => {
      const start = await headNow();
      const before = await site.minedOf(accounts);
      // By blocks, not by the feed: a run cannot detect the replacement of blocks that it has not read.
      const placed = (): number => load.load.latencies([]).get('send_block')?.count ?? 0;
      return async () => {
        await until(() => placed() >= 20);
        // No more blocks until the run has read the last one, which is among the replaced ones.
        await site.ask('evm_setIntervalMining', 0);
        await until(async () => placed() >= (await site.minedOf(accounts)) - before);
        // Few enough that the run still remembers the first.
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
  it('has no reported fault if the feed is a block ahead of the RPC at the end of the run', async () => {
    const site = await AnvilSite.start();
    /** The block that the RPC returns as the last one. */
    let head = Infinity;
    let made: Promise<void> | undefined;
    const makeBlock = async (): Promise<void> => {
      head = Number(await site.ask('eth_blockNumber'));
      await site.ask('evm_mine');
      void pause(1_000).then(() => (head = Infinity));
      // The feed is ahead.
      await pause(300);
    };
    // At the query for pending transactions at the end, the node makes a block. The feed has it first, the
    // RPC later.
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

  it('has pending and no lost transactions', async () => {
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
