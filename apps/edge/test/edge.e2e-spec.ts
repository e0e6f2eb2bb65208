import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeTables, TABLE_NAMES } from '#load/telemetry';
import { FAILURE_CLASSES } from '#load/worker';
import { TestChain } from './support/test-chain.ts';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';

describe('an edge', () => {
  let hive: TestHive;
  let edge: TestEdge;
  let chain: TestChain | undefined;

  beforeEach(async () => {
    hive = await TestHive.start();
    edge = new TestEdge(hive.address, { SEED: 'a seed that only this edge knows' });
    await hive.heard('connected');
  });
  afterEach(async () => {
    await edge.agent.close();
    await hive.stop();
    await chain?.stop();
    chain = undefined;
  });

  const begin = async (plan: string): Promise<void> => {
    hive.prepare(plan);
    await hive.heard('acked');
    hive.channel?.makeReady('run-1', '');
    await hive.phase('ready');
    hive.channel?.start('run-1', Date.now() * 1_000);
  };

  it('registers with its id, labels and workers', async () => {
    const { identity } = await hive.heard('registered');

    expect(identity).toMatchObject({ edgeId: 'edge-1', labels: { zone: 'a' } });
    expect(identity.workers).toBeGreaterThan(0);
    expect(edge.agent.state).toMatchObject({ edge_id: 'edge-1', run_id: null, phase: 'idle' });
  });

  it('completes a run from its plan, and delivers every event before it reports the phase done', async () => {
    chain = await TestChain.start();
    await begin(chain.plan());

    const { tally, histograms } = await hive.phase('done');

    // On a busy machine, some transactions are not sent; the tally counts them.
    expect(tally).toMatchObject({ planned: 30, sent: 30 - tally.notSent, included: tally.sent, inFlight: 0 });
    expect(tally.sent).toBeGreaterThan(0);
    expect(Object.keys(histograms)).toContain('intended_feed');
    const batches = hive.story.entries.flatMap((heard) => (heard.kind === 'batch' ? [heard.batch] : []));
    const rows = batches.flatMap(({ tables }) => decodeTables(tables));
    const count = (name: string): number =>
      rows.filter(({ table }) => table === name).reduce((sum, { rowCount }) => sum + rowCount, 0);
    expect([count('transactions'), count('receipts')]).toEqual([30, tally.sent]);
    expect(count('balances')).toBe(20);
    expect(batches.map(({ seq }) => seq)).toEqual(batches.map((_, index) => index + 1));
    const phases = hive.story.entries.flatMap((heard) =>
      heard.kind === 'progress' ? [heard.progress.phase] : [],
    );
    expect([...new Set(phases)].slice(-1)).toEqual(['done']);
  });

  it('sends all its metrics with each heartbeat, from the first on', async () => {
    const { heartbeat } = await hive.heard('heartbeat');

    const names = heartbeat.samples.map(({ name, labels }) => [name, ...Object.values(labels)].join(' '));
    for (const failure of FAILURE_CLASSES) {
      expect(names).toContain(`plexus_tx_failed_total ${failure} false`);
      expect(names).toContain(`plexus_tx_failed_total ${failure} true`);
    }
    for (const table of TABLE_NAMES) expect(names).toContain(`plexus_events_dropped_total ${table}`);
    expect(names).toContain('plexus_correlation_misses');
    expect(names).toContain('plexus_feed_messages_total');
    expect(heartbeat.samples.every(({ value }) => value === 0)).toBe(true);
  });

  it('exports correlation misses and feed messages as metrics', async () => {
    chain = await TestChain.start('drop_feed_every=5');
    // A transaction that is overdue for longer than this is not sent, and so cannot be a correlation miss.
    await begin(chain.plan({ correlation: { timeoutMs: 5_000, feed: 'per_edge' } }));
    const { tally } = await hive.phase('done');

    expect(tally.correlationMisses).toBeGreaterThan(0);
    expect(await edge.series('plexus_correlation_misses')).toEqual({ '': tally.correlationMisses });
    const { '': messages = 0 } = await edge.series('plexus_feed_messages_total');
    expect(messages).toBeGreaterThanOrEqual(tally.feedMessages);
  });

  it('acknowledges a repeated plan again, and replaces it by a later revision', async () => {
    chain = await TestChain.start();
    hive.prepare(chain.plan());
    await hive.heard('acked');

    hive.prepare(chain.plan());
    await hive.heard('acked', 2);
    hive.prepare(chain.plan({ seconds: 0.3 }), 2);
    await hive.heard('acked', 3);
    hive.channel?.makeReady('run-1', '');
    await hive.phase('ready');
    hive.channel?.makeReady('run-1', '');
    hive.channel?.start('run-1', 0);
    hive.channel?.start('run-1', 0);

    const { tally } = await hive.phase('done');
    expect(tally.planned).toBe(18);
  });

  it.each([
    ['chain_id_mismatch', { chainId: 31_337 }],
    ['rpc_unreachable', { rpcUrls: ['http://127.0.0.1:1'] }],
    ['feed_unreachable', { feedUrl: 'ws://127.0.0.1:1' }],
    ['seed_missing', { seed: { env: 'NO_SUCH_VARIABLE' } }],
    ['plan_invalid', { seed: { fixed: 'mine' } }],
    ['plan_invalid', { mix: [{ kind: 'transfer', weight: 0 }] }],
  ])('rejects with %s a plan with %j', async (code, more) => {
    chain = await TestChain.start();

    hive.prepare(chain.plan(more));

    expect(await hive.heard('nacked')).toMatchObject({ code });
    expect(edge.agent.state.run_id).toBeNull();
  });

  it('checks a rejected plan again when it is sent again', async () => {
    chain = await TestChain.start();
    const plan = chain.plan({ seed: { env: 'SEED' }, funder: null });
    hive.prepare(plan);
    const { code } = await hive.heard('nacked');

    hive.prepare(plan);

    await hive.heard('nacked', 2);
    expect(code).toBe('accounts_unfunded');
  });

  it('settles its sent transactions after a stop order, and reports the phase done', async () => {
    chain = await TestChain.start();
    await begin(chain.plan({ seconds: 600 }));
    await hive.story.until((heard) => heard.kind === 'progress' && heard.progress.tally.included > 5);

    hive.channel?.stop('run-1', false, 'enough');

    const { tally } = await hive.phase('done');
    expect(tally.sent).toBe(tally.included);
  });

  it('reports the phase failed when its run is aborted before the start', async () => {
    chain = await TestChain.start();
    hive.prepare(chain.plan({ seconds: 600 }));
    await hive.heard('acked');
    hive.channel?.makeReady('run-1', '');
    await hive.phase('ready');

    hive.channel?.stop('run-1', true, 'never mind');

    expect(await hive.phase('failed')).toMatchObject({ reason: expect.stringContaining('never mind') });
    expect(edge.agent.state.run_id).toBeNull();
  });

  it('disconnects when it is evicted, and does not reconnect', async () => {
    hive.channel?.evict('another took this id');

    await expect(edge.agent.evicted).rejects.toThrow('another took this id');
    expect(edge.agent.state.hive).toBe('disconnected');
  });

  it('settles its run and deregisters when it closes', async () => {
    chain = await TestChain.start();
    await begin(chain.plan({ seconds: 600 }));
    await hive.story.until((heard) => heard.kind === 'progress' && heard.progress.tally.included > 5);

    await edge.agent.close();

    const { tally } = await hive.phase('done');
    expect(tally.sent).toBe(tally.included);
    await hive.heard('deregistered');
  });

  it('drains when the hive is lost, keeps its events, and delivers them after it reconnects', async () => {
    await edge.agent.close();
    edge = new TestEdge(hive.address, {}, 300);
    await hive.heard('connected', 2);
    chain = await TestChain.start();
    await begin(chain.plan({ seconds: 600 }));
    await hive.story.until((heard) => heard.kind === 'progress' && heard.progress.tally.included > 5);
    const port = Number(hive.address.split(':')[1]);

    await hive.stop();
    while (edge.agent.state.phase === 'running') await new Promise((resolve) => setImmediate(resolve));
    await hive.listen(port);

    const { tally } = await hive.phase('done');
    const batches = hive.story.entries.flatMap((heard) => (heard.kind === 'batch' ? [heard.batch] : []));
    const rows = batches
      .filter(({ seq }, index) => batches.findIndex((other) => other.seq === seq) === index)
      .flatMap(({ tables }) => decodeTables(tables))
      .filter(({ table }) => table === 'transactions')
      .reduce((sum, { rowCount }) => sum + rowCount, 0);
    expect(tally.sent).toBe(tally.included);
    expect(rows).toBe(tally.planned);
  });
});
