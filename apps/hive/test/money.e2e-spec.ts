import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { toHex } from '#load/chain';
import { LyingProxy, type MakeLie } from '#load/testing';
import { AddressBook, DEVELOPMENT_ACCOUNTS, JsonRpc, readBigInt } from '#load/worker';
import { createLogger } from '#platform/observability';
import { parseFaults } from '../../sequencer/src/fault-plan.ts';
import type { SequencerNode } from '../../sequencer/src/sequencer-node.ts';
import { startSim } from '../../sequencer/src/sim/start-sim.ts';
import { runHive } from './support/built-hive.ts';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';

const ETHER = 10n ** 18n;
const COUNT = 20;
/** Upper bound of the remainder after the fees of a reclaim. */
const DUST = ETHER / 1_000n;

const NO_FINDING = {
  at_us: 1,
  account: null,
  receiver: null,
  hash: null,
  nonce: null,
  block_number: null,
  sequence_number: null,
  expected: null,
  receipt_json: null,
};

describe('the funds of a run', () => {
  let node: SequencerNode;
  let rpc: JsonRpc;
  let book: AddressBook;
  let hive: TestHive | undefined;

  beforeAll(async () => {
    const settings = {
      mode: 'sim',
      host: '127.0.0.1',
      rpcPort: 0,
      feedPort: 0,
      chainId: 412_346,
      blockMs: 20,
      logFormat: 'text',
      logLevel: 'silent',
      timeboostController: '',
      timeboostRoundS: 60,
    } as const;
    node = await startSim(settings, parseFaults([]), createLogger({ format: 'json', level: 'silent' }));
    rpc = new JsonRpc({ url: `http://127.0.0.1:${node.rpcPort}`, timeoutMs: 5_000 });
    book = await AddressBook.derive(DEVELOPMENT_ACCOUNTS, 0, COUNT);
  });
  afterAll(async () => {
    await rpc.close();
    await node.close();
  });
  afterEach(() => hive?.remove());

  const scenario = (accounts: object = {}): object => ({
    name: 'money',
    target: {
      chain_id: 412_346,
      rpc_urls: [`http://127.0.0.1:${node.rpcPort}`],
      feed_url: `ws://127.0.0.1:${node.feedPort}`,
    },
    accounts: { count: COUNT, fund_wei: String(ETHER), ...accounts },
    load: { stages: [{ duration: '1h', rate: 10 }] },
  });

  async function heldWei(): Promise<bigint> {
    const params = Array.from({ length: COUNT }, (_, at) => [toHex(book.at(at)), 'latest']);
    const balances = await rpc.callMany('eth_getBalance', params, readBigInt);
    return balances.reduce((sum, balance) => sum + balance, 0n);
  }

  /** A run with funded accounts. */
  async function fundedRun(of: TestHive, accounts: object = {}): Promise<{ runId: string; edge: TestEdge }> {
    const edge = await TestEdge.connect('a', { address: of.grpcAddress });
    const { run_id: runId } = await of.begin(scenario(accounts));
    await of.until(runId, ({ phase }) => phase === 'steady');
    return { runId, edge };
  }

  it('return to the funder after an abort', async () => {
    hive = await TestHive.start();
    const { runId, edge } = await fundedRun(hive);
    const before = await heldWei();

    await hive.call('POST', `/runs/${runId}/stop`, { mode: 'abort' });
    edge.progress('failed');
    const run = await hive.end(runId);

    expect(before).toBe(BigInt(COUNT) * ETHER);
    expect(await heldWei()).toBeLessThan(DUST);
    expect(run.findings.map(({ code }) => code)).not.toContain('not_reclaimed');
    await edge.crash();
  });

  it('return to the funder after the loss of an edge', async () => {
    hive = await TestHive.start();
    const { runId, edge } = await fundedRun(hive);

    await edge.crash();
    await hive.json(204, 'DELETE', '/edges/a').catch(() => undefined);
    await hive.end(runId);

    expect(await heldWei()).toBeLessThan(DUST);
  });

  it('are returned by plexus-hive sweep, with and without a running hive', async () => {
    hive = await TestHive.start();
    const left = await fundedRun(hive, { reclaim: false });
    const active = await runHive('sweep', left.runId, '--data-dir', hive.directory, '--url', hive.url);
    await hive.call('POST', `/runs/${left.runId}/stop`, { mode: 'abort' });
    left.edge.progress('failed');
    await hive.end(left.runId);
    const stranded = await heldWei();

    const overHttp = await runHive('sweep', left.runId, '--data-dir', '/no/such', '--url', hive.url);
    const afterHttp = await heldWei();
    const again = await fundedRun(hive, { reclaim: false });
    await hive.call('POST', `/runs/${again.runId}/stop`, { mode: 'abort' });
    again.edge.progress('failed');
    await hive.end(again.runId);
    await hive.stop();
    const offline = await runHive('sweep', again.runId, '--data-dir', hive.directory);
    hive = await TestHive.start({ directory: hive.directory });

    expect([active.code, active.stderr]).toEqual([1, expect.stringContaining('the run has not ended')]);
    expect(stranded).toBe(BigInt(COUNT) * ETHER);
    expect([overHttp.code, overHttp.stdout]).toEqual([0, expect.stringMatching(/^sent 19\.99\d+ ETH of /)]);
    expect(afterHttp).toBeLessThan(DUST);
    expect([offline.code, offline.stdout]).toEqual([0, expect.stringMatching(/ back to 0xf39f/)]);
    expect(await heldWei()).toBeLessThan(DUST);
    await left.edge.crash();
    await again.edge.crash();
  });

  it('that cannot be returned are a finding with amount, accounts and command, and a reservation', async () => {
    let isOver = false;
    const refusing: MakeLie = () => ({
      instead: ({ method }) =>
        isOver && method === 'eth_sendRawTransaction'
          ? { error: { code: -32_000, message: 'insufficient funds' } }
          : undefined,
    });
    const urls = { rpcUrl: `http://127.0.0.1:${node.rpcPort}`, feedUrl: `ws://127.0.0.1:${node.feedPort}` };
    const proxy = await LyingProxy.start({ ...urls, lie: refusing });
    try {
      hive = await TestHive.start();
      const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
      const target = { chain_id: 412_346, rpc_urls: [proxy.rpcUrl], feed_url: proxy.feedUrl };
      const { run_id: runId } = await hive.begin({ ...scenario(), target });
      await hive.until(runId, ({ phase }) => phase === 'steady');
      isOver = true;
      edge.record('findings', { ...NO_FINDING, kind: 'not_reclaimed', observed: '7 wei on 1 account: no' });
      await edge.flush();
      edge.progress('done');
      const run = await hive.end(runId);
      const stranded = await heldWei();

      const finding = run.findings.find(({ code }) => code === 'not_reclaimed');
      expect(finding?.message).toContain(`${stranded} wei on ${COUNT} accounts`);
      expect(finding?.message).toContain(`plexus-hive sweep ${runId}`);
      expect(run.verdict?.reasons.map(({ code }) => code)).toContain('not_reclaimed');
      isOver = false;
      const swept = await runHive('sweep', runId, '--data-dir', '/no/such', '--url', hive.url);
      expect([swept.code, swept.stdout]).toEqual([0, expect.stringContaining(`ETH of ${COUNT} accounts`)]);
      expect(await heldWei()).toBeLessThan(DUST);
      await edge.crash();
    } finally {
      await proxy.close();
    }
  });

  it('return to the funder by the hive if an edge could not return them', async () => {
    hive = await TestHive.start();
    const { runId, edge } = await fundedRun(hive);

    edge.record('findings', { ...NO_FINDING, kind: 'not_reclaimed', observed: '7 wei on 1 account: no' });
    await edge.flush();
    edge.progress('done');
    const run = await hive.end(runId);

    expect(await heldWei()).toBeLessThan(DUST);
    expect(run.findings.map(({ code }) => code)).not.toContain('not_reclaimed');
    await edge.crash();
  });

  it('are shown before funding, and bounded by the budget', async () => {
    hive = await TestHive.start();
    const tight = String(BigInt(COUNT) * ETHER);
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });

    const refused = await hive.call(
      'POST',
      '/runs',
      scenario({ budget_wei: String(BigInt(COUNT) * ETHER - 1n) }),
    );
    const { run_id: runId } = await hive.begin(scenario({ budget_wei: tight }));
    const begun = await hive.run(runId);
    const ended = await hive.end(runId);

    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('accounts.budget_wei')]);
    expect(begun.money).toMatchObject({ budget_wei: tight });
    expect(ended).toMatchObject({ status: 'Failed', reason: 'funding_failed' });
    expect(ended.findings[0]?.message).toContain('expected at most accounts.budget_wei');
    expect(await heldWei()).toBeLessThan(DUST);
    await edge.crash();
  });
});
