/** Load tests of a correct sequencer that answers some reads late, oddly or not at all. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LyingProxy, type MakeLie, MISHAPS } from '#load/testing';
import { pause } from '#platform/foundation';
import { TestChain } from './support/test-chain.ts';
import { type EndedRun, planFor, type PlanParts, stage, TestRun } from './support/test-run.ts';

const ACCOUNTS = 20;
const POLL_MS = 2;

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
        correlation: { timeoutMs: 500, feed: 'off' },
      }),
    );

    const { tally, phase } = ended.progress;
    expect(phase).toBe('failed');
    expect(tally).toMatchObject({ ackedLost: 0, ackedUndecided: tally.unknown });
    expect(tally.ackedUndecided).toBeGreaterThan(0);
    expect(ended.counters.failures('lost', false)).toBe(0);
  });
});
