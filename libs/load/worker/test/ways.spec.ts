/** Types and ways to send against the simulated sequencer, and the lies about them. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { AUCTION_CONTRACT } from '../../../../apps/sequencer/src/sim/express-lane.ts';
import { TestChain } from './support/test-chain.ts';
import { type EndedRun, planFor, type PlanParts, type Row, stage, TestRun } from './support/test-run.ts';

/** The address of the development controller. */
const CONTROLLER = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
const A_DAY_S = 86_400;
const ACCOUNTS = 30;
const EXPRESS_LANE = { auctionContract: AUCTION_CONTRACT, sequence: 'ordered' };
const PLAIN = { type: 2, accessList: [], way: 'raw' };
const LANE = { kind: 'transfer', weight: 1, sending: { ...PLAIN, way: 'express_lane' } };
const NO_ACCOUNTS = { knownAccounts: {} };

let chain: TestChain | undefined;
afterEach(async () => {
  await chain?.stop();
  chain = undefined;
});

async function runOf(
  mix: readonly object[],
  more: PlanParts = {},
  ...faults: readonly string[]
): Promise<EndedRun> {
  const timeboost = { timeboostController: CONTROLLER, timeboostRoundS: A_DAY_S };
  chain = await TestChain.startWith(timeboost, faults);
  await chain.fund(ACCOUNTS);
  const parts = {
    accounts: { count: ACCOUNTS },
    load: { stages: [stage(600, 100)] },
    mix,
    expressLane: EXPRESS_LANE,
    ...more,
  };
  const ended = await new TestRun(planFor(chain, parts)).toTheEnd();
  const { phase, reason } = ended.progress;
  expect([phase, reason]).toEqual(['done', '']);
  return ended;
}

const sentOf = (ended: EndedRun): readonly Row[] =>
  ended.rows('transactions').filter(({ outcome }) => outcome !== 'not_sent');

const countsOf = (ended: EndedRun, column: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(sentOf(ended), (row) => String(row[column]))).map(([value, rows = []]) => [
      value,
      rows.length,
    ]),
  );

const findingsOf = (ended: EndedRun): readonly unknown[] => [
  ...new Set(ended.rows('findings').map(({ kind }) => kind)),
];

describe('types of transactions', () => {
  it('are included with their own receipts, which nothing contradicts', async () => {
    const slot = `0x${'01'.repeat(32)}`;
    const accessList = [{ address: `0x${'ab'.repeat(20)}`, storageKeys: [slot] }];
    const ended = await runOf([
      { kind: 'transfer', weight: 1, sending: { ...PLAIN, type: 0 } },
      { kind: 'transfer', weight: 1, sending: { ...PLAIN, type: 1, accessList } },
      { kind: 'erc20_transfer', weight: 1, sending: { ...PLAIN, accessList } },
    ]);

    const { tally } = ended.progress;
    expect(tally).toMatchObject({ included: tally.sent, rejected: 0, unknown: 0 });
    expect(Object.keys(countsOf(ended, 'type'))).toEqual(['0', '1', '2']);
    expect(findingsOf(ended)).toEqual([]);
  });
});

describe('ways to send', () => {
  it('are each acknowledged in its own form, and included', async () => {
    const ended = await runOf([
      { kind: 'transfer', weight: 1 },
      { kind: 'transfer', weight: 1, sending: { ...PLAIN, way: 'sync', timeoutMs: 20_000 } },
      {
        kind: 'transfer',
        weight: 1,
        sending: { ...PLAIN, way: 'conditional', conditions: { timestampMax: '+60s', ...NO_ACCOUNTS } },
      },
      LANE,
    ]);

    const { tally } = ended.progress;
    expect(tally).toMatchObject({ included: tally.sent, acked: tally.sent, failedUnexpected: 0 });
    expect(Object.keys(countsOf(ended, 'way')).sort()).toEqual([
      'conditional',
      'express_lane',
      'raw',
      'sync',
    ]);
    expect(findingsOf(ended)).toEqual([]);
    const boosted = sentOf(ended).map(({ way, timeboosted }) => [way, timeboosted]);
    expect(boosted.every(([way, isBoosted]) => isBoosted === (way === 'express_lane' ? 1 : 0))).toBe(true);
  });

  it('are refused by conditions that do not hold, which leaves the nonce unused', async () => {
    const conditions = { timestampMax: 1, ...NO_ACCOUNTS };
    const ended = await runOf([
      { kind: 'transfer', weight: 1 },
      {
        kind: 'transfer',
        weight: 1,
        expect: 'condition_failed',
        sending: { ...PLAIN, way: 'conditional', conditions },
      },
    ]);

    const { tally } = ended.progress;
    expect(tally).toMatchObject({ included: tally.sent - tally.rejected, failedUnexpected: 0, unknown: 0 });
    expect(tally.rejected).toBeGreaterThan(0);
    expect(Object.keys(countsOf(ended, 'error_class')).sort()).toEqual(['condition_failed', 'null']);
  });

  it('leave the outcome open after the time-out of a synchronous sending', async () => {
    const ended = await runOf(
      [{ kind: 'transfer', weight: 1, sending: { ...PLAIN, way: 'sync', timeoutMs: 1 } }],
      { load: { stages: [stage(200, 50)] } },
    );

    const { tally } = ended.progress;
    expect(tally).toMatchObject({ included: tally.sent, rejected: 0 });
    expect(Object.keys(countsOf(ended, 'error_class'))).toContain('sync_timeout');
    expect(findingsOf(ended)).toEqual([]);
  });
});

describe('lies about the ways to send', () => {
  it('are found in the order of the express lane within a block', async () => {
    const load = { stages: [stage(1_500, 200)], maxInflight: 1_000 };
    const ended = await runOf([LANE], { load }, 'lane_order_every=10');

    expect(findingsOf(ended)).toEqual(['express_lane_order']);
  });

  it.each([
    ['a transaction of the express lane', [LANE]],
    ['any other transaction', [{ kind: 'transfer', weight: 1 }]],
  ])('are found in the metadata about %s', async (_, mix) => {
    const ended = await runOf(mix, {}, 'timeboosted_wrong_every=10');

    expect(findingsOf(ended)).toEqual(['timeboosted_wrong']);
  });

  it('are found in blocks that break conditions', async () => {
    const conditions = { timestampMax: '-9s', ...NO_ACCOUNTS };
    const conditional = {
      kind: 'transfer',
      weight: 1,
      sending: { ...PLAIN, way: 'conditional', conditions },
    };
    const ended = await runOf([conditional], {}, 'ignore_conditions_every=1');

    expect(findingsOf(ended)).toEqual(['condition_broken']);
  });

  it('are found in the receipts of synchronous answers', async () => {
    const sync = { kind: 'transfer', weight: 1, sending: { ...PLAIN, way: 'sync', timeoutMs: 20_000 } };
    const ended = await runOf([sync], {}, 'sync_receipt_wrong_every=10');

    expect(findingsOf(ended)).toEqual(['sync_receipt']);
  });
});

describe('an express lane that the target does not have', () => {
  it('refuses the plan', async () => {
    chain = await TestChain.start();
    await chain.fund(ACCOUNTS);
    const plan = planFor(chain, { mix: [LANE], expressLane: EXPRESS_LANE });
    const { load } = new TestRun(plan);

    const checked = await load.check().then(
      () => undefined,
      (error: unknown) => error,
    );

    expect(checked).toMatchObject({ details: { reason: 'express_lane_unavailable' } });
    await load.close();
  });
});
