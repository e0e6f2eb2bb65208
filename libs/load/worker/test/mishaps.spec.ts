/** Load tests of a correct sequencer that answers some reads late, oddly or not at all. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OracleFold, type Verdicts, type Violation } from '#load/oracle';
import { LIES, LyingProxy, type MakeLie, MISHAPS } from '#load/testing';
import { pause } from '#platform/foundation';
import { TestChain } from './support/test-chain.ts';
import { type EndedRun, planFor, type PlanParts, stage, TestRun } from './support/test-run.ts';

const ACCOUNTS = 20;
const POLL_MS = 2;
/** The time-out of an exchange, and the time for the repetition of reads. */
const SHORT_MS = 2_000;

interface Judged {
  readonly verdicts: Verdicts;
  readonly violations: readonly Violation[];
}

function judge({ batches, progress }: EndedRun): Judged {
  const violations: Violation[] = [];
  const fold = new OracleFold({
    accountCounts: new Map([['edge-1', ACCOUNTS]]),
    onViolation: (violation) => violations.push(violation),
  });
  for (const batch of batches) fold.apply('edge-1', batch);
  const word = { isLost: false, includedCount: progress.tally.included };
  return { verdicts: fold.conclude(new Map([['edge-1', word]])), violations };
}

const gapsOf = ({ balance }: Verdicts): readonly string[] => balance.gaps.map(({ reason }) => reason);

describe('a correct sequencer', () => {
  let chain: TestChain;
  let proxy: LyingProxy | undefined;

  beforeEach(async () => {
    chain = await TestChain.start();
    await chain.fund(ACCOUNTS);
  });
  afterEach(async () => {
    await proxy?.close();
    proxy = undefined;
    await chain.stop();
  });

  async function runThrough(lie: MakeLie, more: PlanParts = {}): Promise<TestRun> {
    proxy = await LyingProxy.start({ rpcUrl: chain.rpcUrl, feedUrl: chain.feedUrl, lie });
    return new TestRun(planFor(proxy, more));
  }

  const aborted = async (run: TestRun): Promise<EndedRun> =>
    run.toTheEnd(({ load }) =>
      Promise.resolve(async () => {
        while (load.phase !== 'settling') await pause(POLL_MS);
        load.stop(true, 'no more');
      }),
    );

  it('has lost nothing if the run is aborted before its blocks are read', async () => {
    const ended = await aborted(
      await runThrough(MISHAPS.receipts_slow, {
        load: { stages: [stage(300, 100)] },
        correlation: { timeoutMs: 2_000, feed: 'off' },
      }),
    );

    const { tally, phase } = ended.progress;
    expect(phase).toBe('failed');
    expect(tally.ackedLost).toBe(0);
    expect(tally.ackedUndecided).toBeGreaterThan(0);
    expect(ended.counters.failures('lost', false)).toBe(0);
  });

  it.each(['one_502_for_the_head', 'one_502_for_balances', 'reads_limited', 'no_batches'] as const)(
    'passes all checks with %s',
    async (name) => {
      const ended = await (await runThrough(MISHAPS[name])).toTheEnd();

      const { verdicts, violations } = judge(ended);
      expect([ended.progress.phase, ended.progress.reason]).toEqual(['done', '']);
      expect(violations).toEqual([]);
      expect(Object.values(verdicts).map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass']);
      expect(ended.progress.tally).toMatchObject({ ackedLost: 0, ackedUndecided: 0 });
    },
  );

  it.each(['state_pruned', 'balances_malformed'] as const)(
    'has only undecided balances with %s',
    async (name) => {
      const ended = await (await runThrough(MISHAPS[name], { rpcTimeoutMs: SHORT_MS })).toTheEnd();

      const { verdicts, violations } = judge(ended);
      expect([ended.progress.phase, ended.progress.reason]).toEqual(['done', '']);
      expect(violations).toEqual([]);
      expect([verdicts.nonce.verdict, verdicts.gas.verdict]).toEqual(['pass', 'pass']);
      expect(verdicts.balance.verdict).toBe('inconclusive');
      expect(gapsOf(verdicts)).toEqual(['no_end_balance']);
    },
  );

  it('has its unreadable feed frames counted in the tally', async () => {
    const lie = LIES['feed_frames_unreadable'] ?? (() => ({}));

    const ended = await (await runThrough(lie)).toTheEnd();

    const { tally, measured, phase } = ended.progress;
    expect(phase).toBe('done');
    expect(tally.feedGarbage).toBeGreaterThan(0);
    expect(measured.feedGarbage).toBe(tally.feedGarbage);
    expect(ended.counters.feedGarbage).toBe(tally.feedGarbage);
  });

  it('has no fault and no loss if its head cannot be read at the end', async () => {
    const ended = await (await runThrough(MISHAPS.no_head, { rpcTimeoutMs: SHORT_MS })).toTheEnd();

    const { verdicts, violations } = judge(ended);
    expect([ended.progress.phase, ended.progress.reason]).toEqual(['done', '']);
    expect(violations).toEqual([]);
    expect(gapsOf(verdicts)).toEqual(['blocks_unread']);
    expect(ended.progress.tally.ackedLost).toBe(0);
  });
});
