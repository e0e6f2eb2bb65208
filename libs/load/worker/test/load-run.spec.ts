import { afterEach, describe, expect, it } from '@jest/globals';
import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import type { Tally } from '#load/protocol';
import { LATENCIES, RpcFailure } from '#load/worker';
import { pause } from '#platform/foundation';
import { standStill } from '#testing';
import { TestChain } from './support/test-chain.ts';
import { type EndedRun, planFor, type PlanParts, stage, TestRun } from './support/test-run.ts';

/** The time-out for events that do not occur. */
const QUICK = { timeoutMs: 1_000, feed: 'per_edge' };

/** The time-out for events that occur, for a busy machine. */
const PATIENT = { ...QUICK, timeoutMs: 10_000 };

const ACCOUNTS = 20;
const POLL_MS = 2;

let chain: TestChain | undefined;

async function start(...faults: readonly string[]): Promise<TestChain> {
  return startFor(ACCOUNTS, ...faults);
}

async function startFor(accounts: number, ...faults: readonly string[]): Promise<TestChain> {
  chain = await TestChain.start(...faults);
  await chain.fund(accounts);
  return chain;
}

/** With `isEnough`, the load is stopped once it returns true, after a time that depends on the machine. */
async function runOn(
  chain: TestChain,
  more: PlanParts = {},
  isEnough?: (tally: Tally) => boolean,
): Promise<EndedRun> {
  const ended = await new TestRun(planFor(chain, more)).toTheEnd(({ load }) =>
    Promise.resolve(async () => {
      if (isEnough === undefined) return;
      while (!isEnough(load.progress().tally)) await pause(POLL_MS);
      load.stop(false, 'enough');
    }),
  );
  const { tally, phase, reason } = ended.progress;
  expect([phase, reason]).toEqual(['done', '']);
  expect(tally.planned).toBe(tally.sent + tally.notSent);
  expect(tally.sent).toBe(tally.included + tally.rejected + tally.unknown);
  expect(tally.inFlight).toBe(0);
  expect(ended.rows('transactions')).toHaveLength(tally.planned);
  return ended;
}

function percentileMs(histogram: Uint8Array | undefined, percentile: number): number {
  const base64 = Buffer.from(histogram ?? []).toString('base64');
  return decodeFromCompressedBase64(base64).getValueAtPercentile(percentile) / 1_000;
}

/** The error of a plan's check. */
async function refusalOf(plan: string): Promise<unknown> {
  try {
    const run = new TestRun(plan);
    await run.load.check().finally(() => run.load.close());
    return undefined;
  } catch (error) {
    return error;
  }
}

afterEach(async () => {
  await chain?.stop();
  chain = undefined;
});

describe('LoadRun', () => {
  it('sends all planned transactions, and determines every outcome', async () => {
    // As many accounts as transactions, so that no transaction waits for an answer.
    const ended = await runOn(await startFor(60), { accounts: { count: 60 } });

    const { tally, histograms } = ended.progress;
    expect(tally).toMatchObject({ planned: 60, sent: 60, notSent: 0, acked: 60, included: 60 });
    expect(tally).toMatchObject({ correlationMisses: 0, failedUnexpected: 0, eventsDropped: 0 });
    expect(Object.keys(histograms)).toEqual([...LATENCIES]);
    expect(ended.rows('receipts')).toHaveLength(60);
    expect(ended.rows('feed').filter(({ tx_index: index }) => index !== -1)).toHaveLength(60);
    expect(ended.rows('balances')).toHaveLength(2 * 60);
    for (const row of ended.rows('transactions')) {
      expect(Number(row['feed_us'])).toBeGreaterThanOrEqual(Number(row['sent_us']));
      expect(Number(row['sent_us'])).toBeGreaterThanOrEqual(Number(row['intended_us']));
      expect(row['block_number']).toBe(row['feed_sequence']);
    }
  });

  it('counts feed messages equally in its tally, its intervals and its rows', async () => {
    const load = { stages: [stage(400, 50, true), stage(400, 50)] };
    const chain = await start();
    const ended = await new TestRun(planFor(chain, { load })).toTheEnd(async ({ load }) => {
      // Messages before the start are counted in the first stage.
      await chain.fund(ACCOUNTS + 1);
      while (load.progress().tally.feedMessages === 0) await pause(POLL_MS);
      expect(load.progress().measured.feedMessages).toBe(0);
      return () => Promise.resolve();
    });

    const { tally, measured } = ended.progress;
    const messages = ended.rows('feed').filter(({ tx_index: index }) => index === -1);
    const countedIn = (...stages: readonly number[]): number =>
      ended
        .rows('intervals')
        .filter(({ stage: index }) => stages.includes(Number(index)))
        .reduce((sum, { feed_messages: more }) => sum + Number(more), 0);
    expect([countedIn(0, 1), messages.length]).toEqual([tally.feedMessages, tally.feedMessages]);
    expect(measured.feedMessages).toBe(countedIn(1));
    expect(measured.planned).toBeLessThan(tally.planned);
  });

  it('accounts for every wei', async () => {
    const ended = await runOn(await start());

    const holdings = new Map<unknown, bigint>();
    const add = (account: unknown, wei: bigint): void => {
      holdings.set(account, (holdings.get(account) ?? 0n) + wei);
    };
    for (const { account, at, balance_wei: wei } of ended.rows('balances')) {
      add(account, at === 'start' ? BigInt(wei as string) : -BigInt(wei as string));
    }
    for (const row of ended.rows('receipts')) {
      const fee = BigInt(row['gas_used'] as number) * BigInt(row['effective_gas_price'] as string);
      add(row['account'], -BigInt(row['value_wei'] as string) - fee);
      add(row['to'], BigInt(row['value_wei'] as string));
    }
    expect([...holdings.values()].filter((wei) => wei !== 0n)).toEqual([]);
    expect(holdings.size).toBe(ACCOUNTS);
  });

  it('sends every kind of its mix, with only the expected failures', async () => {
    const mix = [
      { kind: 'transfer', weight: 4 },
      { kind: 'erc20_transfer', weight: 2 },
      { kind: 'deploy', weight: 1, bytes: 100 },
      { kind: 'calldata', weight: 2, bytes: 300 },
      { kind: 'invalid_nonce', weight: 2, expect: 'nonce_too_low' },
    ];
    const load = { stages: [stage(3_000, 50)] };

    const ended = await runOn(await start(), { mix, load });

    const outcomes = ended
      .rows('transactions')
      .filter(({ outcome }) => outcome !== 'not_sent')
      .map((row) => `${String(row['kind'])} ${String(row['outcome'])}`);
    expect([...new Set(outcomes)].sort()).toEqual([
      'calldata included',
      'deploy included',
      'erc20_transfer included',
      'invalid_nonce rejected',
      'transfer included',
    ]);
    expect(ended.progress.tally.failedUnexpected).toBe(0);
    expect(ended.counters.failures('nonce_too_low', true)).toBe(ended.progress.tally.rejected);
    expect(ended.counters.failures('nonce_too_low', false)).toBe(0);
    expect(ended.rows('errors')[0]).toMatchObject({ class: 'nonce_too_low', expected: 1, code: -32_000 });
    const reverted = ended.rows('receipts').filter(({ status }) => status !== 1);
    expect(reverted).toEqual([]);
  });

  it('counts each stage separately, and excludes a warm-up from the latencies', async () => {
    const load = { stages: [stage(300, 100, true), stage(300, 200)] };

    const ended = await runOn(await start(), { load });

    const planned = (index: number): number =>
      ended
        .rows('intervals')
        .filter((row) => row['stage'] === index)
        .reduce((sum, row) => sum + Number(row['planned']), 0);
    expect([planned(0), planned(1)]).toEqual([30, 60]);
    const excluded = ended.rows('transactions').filter((row) => row['is_excluded'] === 1);
    expect(excluded).toHaveLength(30);
  });

  it('lets each user of a closed model wait for its transaction', async () => {
    const load = { model: 'closed', users: 5, stages: [stage(600_000, 0)] };

    const ended = await runOn(await start(), { load }, ({ sent }) => sent > 10);

    // Each user waits for a block, so its rate is at most the rate of blocks.
    const blocks = new Set(ended.rows('receipts').map((row) => row['block_number']));
    expect(ended.progress.tally.sent).toBeLessThanOrEqual(5 * blocks.size);
    const open = ended
      .rows('transactions')
      .map((row) => [Number(row['sent_us']), Number(row['acked_us'])] as const);
    for (const [sentUs] of open) {
      expect(open.filter(([from, to]) => from < sentUs && sentUs < to).length).toBeLessThan(5);
    }
  });

  it('runs without a feed', async () => {
    const ended = await runOn(await startFor(60), {
      accounts: { count: 60 },
      correlation: { ...PATIENT, feed: 'off' },
    });

    expect(ended.progress.tally).toMatchObject({ included: 60, correlationMisses: 0, feedMessages: 0 });
  });

  it('returns the remaining balances to the funder', async () => {
    const chain = await start();

    await runOn(chain, { accounts: { reclaim: true } });

    const refused = await refusalOf(planFor(chain, { accounts: { funder: null } }));
    expect(String(refused)).toContain('on 20 of 20 accounts');
  });

  it('reports transactions that were not sent, with the shortage', async () => {
    // Each account waits for its block: 20 accounts send at most 400 transactions per second.
    const load = { stages: [stage(1_000, 2_000)] };

    const ended = await runOn(await start(), { load });

    const unsent = ended.rows('transactions').filter(({ outcome }) => outcome === 'not_sent');
    expect(unsent.length).toBeGreaterThan(0);
    expect(unsent.map((row) => row['error_class'])).toContain('no_account');
    expect(unsent.every((row) => row['sent_us'] === null && row['hash'] === null)).toBe(true);
  });

  it('includes a stall of 2 s only in the latencies from the intended time', async () => {
    // As many accounts as transactions: none waits for an answer.
    const accounts = { count: 160 };
    const chain = await startFor(accounts.count);
    const parts = { accounts, correlation: PATIENT, load: { stages: [stage(4_000, 40)] } };
    const run = new TestRun(planFor(chain, parts));
    await run.load.check();
    await run.load.makeReady();

    const ended = run.load.run(0);
    while (run.load.progress().tally.sent < 20) await pause(POLL_MS);
    standStill(2_000);
    await ended;

    const end = run.end();
    const { tally, histograms } = end.progress;
    const ownMs = end
      .rows('transactions')
      .map((row) => (Number(row['acked_us']) - Number(row['sent_us'])) / 1_000);
    expect(tally).toMatchObject({ planned: 160, sent: 160 });
    expect(percentileMs(histograms.intended_feed, 90)).toBeGreaterThan(1_000);
    expect(percentileMs(histograms.send_delay, 90)).toBeGreaterThan(1_000);
    // Buckets are at most a hundredth wide.
    expect(percentileMs(histograms.send_ack, 100)).toBeLessThanOrEqual(Math.max(...ownMs) * 1.02);
  });

  it('settles its sent transactions after a stop', async () => {
    const chain = await start();
    const run = new TestRun(planFor(chain, { load: { stages: [stage(60_000, 100)] } }));
    await run.load.check();
    await run.load.makeReady();

    const ended = run.load.run(0);
    while (run.load.progress().tally.included < 20) await pause(POLL_MS);
    run.load.stop(false, 'enough');
    await ended;

    const { phase, tally } = run.end().progress;
    expect(phase).toBe('done');
    expect(tally.sent).toBe(tally.included);
  });

  it('fails at once after an abort', async () => {
    const chain = await start();
    const run = new TestRun(planFor(chain, { load: { stages: [stage(60_000, 100)] } }));
    await run.load.check();
    await run.load.makeReady();

    const ended = run.load.run(0);
    while (run.load.progress().tally.sent < 20) await pause(POLL_MS);
    run.load.stop(true, 'no more');
    await ended;

    const { phase, reason, tally } = run.end().progress;
    expect([phase, reason]).toEqual(['failed', 'aborted: no more']);
    expect(tally.correlationMisses).toBe(0);
    expect(tally.inFlight).toBe(0);
  });
});

describe('LoadRun on a sequencer with a fault', () => {
  it('counts transactions missing from the feed as misses', async () => {
    const { progress, counters } = await runOn(await startFor(60, 'drop_feed_every=4'), {
      accounts: { count: 60 },
      correlation: PATIENT,
    });

    expect(progress.tally.included).toBe(60);
    expect(progress.tally.correlationMisses).toBeGreaterThan(0);
    expect(counters.correlationMisses).toBe(progress.tally.correlationMisses);
  });

  it('reuses a rejected nonce', async () => {
    const load = { stages: [stage(600_000, 100)] };
    const { progress, counters, rows } = await runOn(
      await start('http_429_every=10'),
      { load },
      ({ rejected, sent }) => rejected >= 5 && sent >= 3 * ACCOUNTS,
    );

    const { sent, included, rejected } = progress.tally;
    expect(included).toBe(sent - rejected);
    expect(counters.failures('rate_limited', false)).toBe(rejected);
    for (const receipts of Map.groupBy(rows('receipts'), ({ account }) => account).values()) {
      const nonces = receipts.map(({ nonce }) => Number(nonce)).sort((a, b) => a - b);
      expect(nonces).toEqual(nonces.map((_, at) => at));
    }
  });

  it('uses no nonce twice after broken connections, and determines the outcome', async () => {
    const { progress, rows } = await runOn(await start('reset_every=10'));

    expect(progress.tally.rejected).toBe(0);
    const used = rows('receipts').map((row) => `${String(row['account'])} ${String(row['nonce'])}`);
    expect(new Set(used).size).toBe(used.length);
    expect(progress.tally.failedUnexpected).toBeGreaterThan(0);
  });

  it('counts included transactions that were answered with an error', async () => {
    const { progress, counters, rows } = await runOn(await startFor(60, 'error_but_include_every=10'), {
      accounts: { count: 60 },
    });

    expect(progress.tally).toMatchObject({ included: 60, rejected: 0, unknown: 0 });
    expect(counters.failures('queue_timeout', false)).toBeGreaterThanOrEqual(5);
    const contradicted = rows('transactions').filter((row) => row['error_class'] === 'queue_timeout');
    expect(contradicted.every((row) => row['outcome'] === 'included' && row['acked_us'] === null)).toBe(true);
  });

  it('reports accepted transactions that were lost, and continues with the account', async () => {
    const load = { stages: [stage(1_500, 100)] };
    chain = await TestChain.start('accept_then_drop_every=25');
    await chain.fund(10);

    const { progress, counters, rows } = await runOn(chain, {
      load,
      accounts: { count: 10 },
      correlation: QUICK,
    });

    // On a busy machine, requests without an answer in time are unknown too.
    const unknown = rows('transactions').filter(({ outcome }) => outcome === 'unknown');
    const lost = unknown.filter((row) => row['error_class'] === 'lost');
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBe(counters.failures('lost', false));
    expect(progress.tally.unknown).toBe(unknown.length);
    const lostAccounts = new Set(lost.map(({ account }) => account));
    const last = rows('balances').filter(({ at, account }) => at === 'end' && lostAccounts.has(account));
    expect(last.length).toBe(lostAccounts.size);
  });

  it('records the whole receipt of a transaction above its gas limit', async () => {
    const { rows } = await runOn(await start('gas_over_limit_every=20'));

    const over = rows('receipts').filter((row) => Number(row['gas_used']) > Number(row['gas_limit']));
    expect(over.length).toBeGreaterThan(0);
    for (const row of over)
      expect(JSON.parse(String(row['receipt_json']))).toMatchObject({ transactionHash: row['hash'] });
  });
});

describe('the check rejects a plan', () => {
  it.each([
    ['for another chain', { chainId: 31_337 }, /expected chain id 31337, got 412346/],
    ['without its seed', { seed: { env: 'NO_SUCH' } }, /NO_SUCH/],
    ['with the development seed elsewhere', { chainId: 1 }, /the development seed is public/],
    ['without a feed', { feedUrl: 'ws://127.0.0.1:1', rpcTimeoutMs: 5_000 }, /ECONNREFUSED/],
    ['with an unreachable RPC', { rpcUrls: ['http://127.0.0.1:1'] }, /rpc_unreachable/],
  ])('%s', async (_, more, expected) => {
    chain = await TestChain.start();

    expect(String(await refusalOf(planFor(chain, more)))).toMatch(expected);
  });

  it('with the feed of another chain', async () => {
    chain = await TestChain.start('wrong_chain_header=1');

    expect(await refusalOf(planFor(chain))).toMatchObject({ details: { reason: 'chain_id_mismatch' } });
  });

  it('with insufficient balances and no funder', async () => {
    chain = await TestChain.start();
    const plan = planFor(chain, { accounts: { funder: null } });

    expect(await refusalOf(plan)).toMatchObject({ details: { reason: 'accounts_unfunded' } });
  });

  it('with accounts that have nothing of their own, and that the run does not fund', async () => {
    chain = await TestChain.start();
    const plan = planFor(chain, { accounts: { funder: null, fundWei: '0' } });

    expect(await refusalOf(plan)).toMatchObject({
      details: { reason: 'accounts_unfunded' },
      message: expect.stringMatching(
        /^less than [1-9]\d* wei, which a transfer costs, on \d+ of \d+ accounts/,
      ),
    });
  });

  it('with several RPCs, of which one serves another chain or is unreachable', async () => {
    chain = await TestChain.start();
    const gone = 'http://127.0.0.1:1';

    expect(await refusalOf(planFor(chain, { rpcUrls: [gone], readUrls: [chain.rpcUrl] }))).toBeInstanceOf(
      RpcFailure,
    );
    expect(await refusalOf(planFor(chain, { rpcUrls: [chain.rpcUrl], readUrls: [gone] }))).toBeInstanceOf(
      RpcFailure,
    );
    expect(await refusalOf(planFor(chain, { rpcUrls: [chain.rpcUrl, gone] }))).toBeUndefined();
  });
});
