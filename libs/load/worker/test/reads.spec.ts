/** Reads beside the load, against the simulated sequencer. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { TestChain } from './support/test-chain.ts';
import { type EndedRun, planFor, type Row, stage, TestRun } from './support/test-run.ts';

const ACCOUNTS = 20;
const BALANCES = { name: 'balances', kind: 'balance', rate: 100 };

let chain: TestChain | undefined;
afterEach(async () => {
  await chain?.stop();
  chain = undefined;
});

async function runWith(reads: readonly object[]): Promise<EndedRun> {
  chain = await TestChain.start();
  await chain.fund(ACCOUNTS);
  const load = { stages: [stage(300, 20, true), stage(700, 20)] };
  const ended = await new TestRun(planFor(chain, { load, reads })).toTheEnd();
  expect(ended.progress.phase).toBe('done');
  return ended;
}

const readsOf = (ended: EndedRun, name: string): readonly Row[] =>
  ended.rows('reads').filter((row) => row['name'] === name);

describe('reads beside the load', () => {
  it('are sent at their rate, each with its times, and are no transactions', async () => {
    const ended = await runWith([BALANCES]);

    const rows = readsOf(ended, 'balances');
    const due = rows.map(({ intended_us: us }) => Number(us)).sort((one, other) => one - other);
    const distances = due.slice(1).map((us, at) => us - (due[at] ?? 0));
    expect(new Set(distances)).toEqual(new Set([10_000]));
    // One second at 100 a second.
    expect(rows.length).toBeGreaterThan(95);
    expect(new Set(rows.map(({ method, outcome }) => `${String(method)} ${String(outcome)}`))).toEqual(
      new Set(['eth_getBalance answered']),
    );
    for (const { intended_us: due, sent_us: sent, answered_us: answered } of rows) {
      expect(Number(sent)).toBeGreaterThanOrEqual(Number(due));
      expect(Number(answered)).toBeGreaterThanOrEqual(Number(sent));
    }
    expect(new Set(rows.map(({ is_excluded: isExcluded }) => isExcluded))).toEqual(new Set([0, 1]));
    expect(ended.progress.tally.planned).toBe(20);
    expect(ended.rows('transactions')).toHaveLength(20);
  });

  it('fail by the class of the answer, and fail nothing else', async () => {
    const ended = await runWith([
      { name: 'unknown', kind: 'method', method: 'eth_mine', args: [], rate: 20 },
      {
        name: 'computed',
        kind: 'method',
        method: 'eth_getTransactionCount',
        args: [{ account: 'random' }, 'latest'],
        rate: 20,
      },
    ]);

    const classesOf = (name: string): unknown => [
      ...new Set(readsOf(ended, name).map(({ error_class: failure }) => failure)),
    ];
    expect(classesOf('unknown')).toEqual(['method_missing']);
    expect(classesOf('computed')).toEqual([null]);
    expect(ended.progress.tally).toMatchObject({ failedUnexpected: 0, included: 20 });
  });
});
