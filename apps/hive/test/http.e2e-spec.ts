import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { once } from 'node:events';
import { readdir, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { MetricsPage } from '#proxy/testing';
import { effort } from '#testing';
import { parquetRows } from './support/parquet-rows.ts';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { transaction } from './support/test-rows.ts';
import { OPEN_SCENARIO, SCENARIO } from './support/test-scenario.ts';

const YAML_SCENARIO = `
name: from yaml
target: { chain_id: 412346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' }
accounts: { count: 10, fund_wei: 0 }
load: { stages: [{ duration: 1h, rate: 100 }] }
`;
const TOML_SCENARIO = `
name = "from toml"
[target]
chain_id = 412346
rpc_urls = ["http://127.0.0.1:1"]
feed_url = "ws://127.0.0.1:1"
[accounts]
count = 10
fund_wei = 0
[load]
stages = [{ duration = "1h", rate = 100 }]
`;

/** Creates an ended run with some transactions. */
async function finishedRun(hive: TestHive, count = 3): Promise<string> {
  const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
  const { run_id: runId } = await hive.begin(SCENARIO);
  await hive.until(runId, ({ phase }) => phase === 'steady');
  for (let tx = 0; tx < count; tx++) edge.record('transactions', transaction(tx));
  await edge.flush();
  edge.progress('done', { planned: count, sent: count, included: count });
  await hive.end(runId);
  await edge.leave();
  return runId;
}

describe('the hive over HTTP', () => {
  let hive: TestHive;

  beforeEach(async () => {
    hive = await TestHive.start();
  });
  afterEach(() => hive.remove());

  it('lists runs in pages, and deletes ended runs', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const { run_id: runId } = await hive.begin({ ...SCENARIO, name: `run ${i}` });
      await hive.call('POST', `/runs/${runId}/stop`, { mode: 'abort' });
      await hive.end(runId);
      ids.unshift(runId);
    }
    const { run_id: activeId } = await hive.begin(SCENARIO);
    ids.unshift(activeId);

    const seen: string[] = [];
    let path = '/runs?limit=2';
    for (let page = await pageOf(path); ; page = await pageOf(path)) {
      seen.push(...page.runs.map(({ run_id: runId }) => runId));
      if (page.next_cursor === undefined) break;
      path = `/runs?limit=2&cursor=${page.next_cursor}`;
      // A run before the cursor can be deleted.
      if (seen.length === 4) await hive.json(204, 'DELETE', `/runs/${seen[3] ?? ''}`).catch(() => undefined);
    }

    expect(seen).toEqual(ids);
    expect((await hive.call('DELETE', `/runs/${activeId}`)).status).toBe(409);
    expect((await hive.call('DELETE', `/runs/${ids[1] ?? ''}`)).status).toBe(204);
    expect((await hive.call('DELETE', `/runs/${ids[1] ?? ''}`)).status).toBe(404);
    expect((await hive.call('GET', `/runs/${ids[1] ?? ''}/report`)).status).toBe(404);
    expect(await readdir(join(hive.directory, 'runs'))).not.toContain(ids[1]);
    await hive.call('POST', `/runs/${activeId}/stop`, { mode: 'abort' });
  });

  it('accepts the next run as soon as it reports the end of a run', async () => {
    for (let i = 0; i < effort(10, 3); i++) {
      const { run_id: runId } = await hive.begin(SCENARIO);
      await hive.call('POST', `/runs/${runId}/stop`, { mode: 'abort' });
      // The reported end may not be on disk yet.
      while ((await hive.run(runId)).ended_at === null);
    }
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'cursor=x', 'cursor=1_../x', 'page=2'])(
    'rejects a list of runs with the query %s',
    async (query) => {
      expect(await hive.json(400, 'GET', `/runs?${query}`)).toMatchObject({ error: 'INVALID_REQUEST' });
    },
  );

  async function pageOf(path: string): Promise<{ runs: { run_id: string }[]; next_cursor?: string }> {
    return hive.json(200, 'GET', path);
  }

  it.each([
    ['application/yaml', YAML_SCENARIO, 'from yaml'],
    ['application/toml', TOML_SCENARIO, 'from toml'],
    ['application/json', JSON.stringify({ ...SCENARIO, name: 'from json' }), 'from json'],
  ])('accepts a scenario as %s, and stores its text', async (type, body, name) => {
    const run = await hive.json<{ run_id: string }>(201, 'POST', '/runs', body, { 'Content-Type': type });

    expect(run).toMatchObject({ name, status: 'Starting' });
    const kept = await readFile(join(hive.directory, 'runs', run.run_id, 'scenario.yaml'), 'utf8');
    expect(kept.trim()).toBe(
      type === 'application/json' ? JSON.stringify(JSON.parse(body), null, 2) : body.trim(),
    );
  });

  it('rejects a scenario with all its faults, each with its path', async () => {
    const bad = { ...SCENARIO, accounts: { count: 0 }, targett: 1, load: { stages: [{ rate: -1 }] } };

    const answer = await hive.json(400, 'POST', '/runs', bad);

    expect(answer).toMatchObject({ error: 'SCENARIO_INVALID' });
    expect(answer['details']).toEqual({
      faults: [
        'accounts.count: expected a whole number from 1 to 1000000',
        'load.stages.0.duration: missing, expected a duration from 1ms to 24h, such as 500ms, 10s or 5m',
        'load.stages.0.rate: expected a number from 0 to 1000000',
        'targett: no such key, did you mean target?',
      ],
    });
    expect(await hive.json(200, 'GET', '/runs')).toEqual({ runs: [] });
  });

  it.each([
    ['nothing', 400, undefined, {}],
    ['malformed JSON', 400, '{', {}],
    ['malformed YAML', 400, 'name: [', { 'Content-Type': 'application/yaml' }],
    ['malformed TOML', 400, 'name = ', { 'Content-Type': 'application/toml' }],
    ['a list', 400, '[]', {}],
    ['text', 415, 'name: x', { 'Content-Type': 'text/plain' }],
    ['too much', 413, 'x'.repeat(3_000_000), { 'Content-Type': 'application/yaml' }],
  ])('rejects %s with %i', async (_what, status, body, headers) => {
    const answer = await hive.json(status, 'POST', '/runs', body, headers);

    expect(answer['error']).toMatch(/^[A-Z_]+$/);
    expect(answer['request_id']).toBeDefined();
  });

  it.each(['/runs', '/runs/check'])(
    'rejects a scenario with a name twice at %s, as the command does',
    async (path) => {
      const body = JSON.stringify(SCENARIO).replace('{', '{"name":"first",\n');

      expect(await hive.json(400, 'POST', path, body)).toMatchObject({
        error: 'INVALID_REQUEST',
        message: 'body: expected each name once in an object, got "name" twice, again in line 2',
      });
    },
  );

  it('rejects a scenario whose variables are not set', async () => {
    const accounts = { ...SCENARIO.accounts, funder_key_env: 'NO_SUCH_KEY', seed_env: 'NO_SUCH_SEED' };

    expect(await hive.json(400, 'POST', '/runs', { ...SCENARIO, accounts })).toMatchObject({
      message: 'scenario: accounts.funder_key_env: the hive has no variable NO_SUCH_KEY',
    });
  });

  it.each([
    ['GET', '/runs/r-none', 404],
    ['GET', '/runs/r-none/report', 404],
    ['GET', '/runs/r-none/files', 404],
    ['GET', '/runs/r-none/files/run.json', 404],
    ['GET', '/runs/r-none/events', 404],
    ['GET', '/runs/compare?base=r-none&head=r-none', 404],
    ['GET', '/runs/compare?base=r-none', 400],
    ['GET', '/runs/r-none/report?format=pdf', 400],
    ['POST', '/runs/r-none/stop', 400],
    ['DELETE', '/edges/none', 404],
    ['DELETE', '/runs', 405],
    ['GET', '/nowhere', 404],
  ])('%s %s returns %i', async (method, path, status) => {
    expect((await hive.call(method, path)).status).toBe(status);
  });

  it('shows all fields of an edge', async () => {
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    const { run_id: runId } = await hive.begin(SCENARIO);
    await hive.until(runId, ({ phase }) => phase === 'steady');
    const clockIsKnown = (): boolean => hive.hive.sessions.of('a').clockOffset !== undefined;
    await hive.until(runId, clockIsKnown);

    expect(await hive.json(200, 'GET', '/edges')).toEqual({
      edges: [
        {
          edge_id: 'a',
          instance_id: '1',
          status: 'connected',
          version: '0.1.0',
          hostname: 'h',
          labels: { zone: 'a' },
          workers: 1,
          cores: 2,
          registered_at: expect.stringMatching(/^\d{4}-.*Z$/),
          last_heartbeat_at: expect.stringMatching(/^\d{4}-.*Z$/),
          clock: { offset_ms: expect.any(Number), error_ms: expect.any(Number) },
          rpc: { chain_id: 412_346, ok: true },
          feed: { connected: true, last_sequence: 7 },
          current_run_id: expect.any(String),
          partition: { first: 0, count: 10 },
          counters: { plexus_correlation_misses: 3, plexus_tx_failed_total: 2 },
        },
      ],
    });
    await edge.crash();
  });

  it('exports the known counters of its edges with its own metrics', async () => {
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    await hive.hive.gateway.remove('nobody', '');
    const text = async (): Promise<string> => (await hive.call('GET', '/metrics')).text;
    const { run_id: runId } = await hive.begin(SCENARIO);
    await hive.until(runId, () => hive.hive.sessions.of('a').heartbeat !== undefined);

    expect(await text()).toMatch(/^plexus_correlation_misses\{edge_id="a"\} 3$/m);
    expect(await text()).toMatch(
      /^plexus_tx_failed_total\{edge_id="a",class="duplicate",expected="false"\} 2$/m,
    );
    for (const check of ['nonce', 'balance', 'gas']) {
      expect(await text()).toContain(`plexus_oracle_violations_total{check="${check}"} 0`);
    }
    for (const name of ['feed_messages_total', 'events_dropped_total']) {
      expect(await text()).toContain(`# TYPE plexus_${name} counter`);
    }
    expect(await text()).toContain('plexus_hive_edges{status="connected"} 1');
    expect(await text()).not.toContain('evil');
    await edge.crash();
  });

  it('exports the load as metrics, during a run and after it', async () => {
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    const valuesOf = async (): Promise<ReadonlyMap<string, number>> => {
      const { text } = await hive.call('GET', '/metrics');
      const families = new MetricsPage(text).families.filter(({ name }) =>
        /^plexus_(load_|hive_run_)/.test(name),
      );
      return new Map(
        families.flatMap(({ samples }) =>
          samples.map(({ name, labels, value }) => [`${name}${JSON.stringify(labels)}`, value] as const),
        ),
      );
    };
    const verdictsOf = (values: ReadonlyMap<string, number>): readonly number[] =>
      Array.from(values).flatMap(([name, value]) =>
        name.startsWith('plexus_hive_run_verdict') ? [value] : [],
      );
    const before = await valuesOf();
    const thresholds = [
      { metric: 'ack_latency_p50_ms', max: 10 },
      { metric: 'ack_latency_p50_ms', min: 1 },
      { metric: 'unknown', max: 5 },
      { metric: 'feed_latency_p99_ms', max: 5 },
    ];
    const { run_id: runId } = await hive.begin({ ...OPEN_SCENARIO, thresholds });
    await hive.until(runId, ({ phase }) => phase === 'steady');
    const histogram = build({ highestTrackableValue: 60_000_000, numberOfSignificantValueDigits: 3 });
    for (const us of [3_000, 60_000, 60_000, 700_000]) histogram.recordValue(us);
    const encoded = Buffer.from(encodeIntoCompressedBase64(histogram), 'base64');
    edge.progress(
      'running',
      { planned: 9, sent: 7, acked: 6, included: 4, rejected: 2, inFlight: 1 },
      { send_ack: encoded },
    );
    await hive.until(runId, ({ progress, stage }) => progress.sent === 7 && stage !== null);

    const during = await valuesOf();
    edge.progress('done', { inFlight: 0, included: 5 });
    await hive.end(runId);
    const after = await valuesOf();

    const run = `"run_id":"${runId}"`;
    expect(before.get('plexus_load_sent_total{}')).toBe(0);
    expect(Object.fromEntries(during)).toMatchObject({
      [`plexus_load_planned_total{${run}}`]: 9,
      [`plexus_load_sent_total{${run}}`]: 7,
      [`plexus_load_included_total{${run}}`]: 4,
      [`plexus_load_rejected_total{${run}}`]: 2,
      [`plexus_load_in_flight{${run}}`]: 1,
      [`plexus_load_target_rate{${run}}`]: 100,
      [`plexus_hive_run_status{"status":"Running",${run}}`]: 1,
      [`plexus_hive_run_status{"status":"Completed",${run}}`]: 0,
      [`plexus_load_latency_seconds_bucket{"le":"0.005","latency":"ack",${run}}`]: 1,
      [`plexus_load_latency_seconds_bucket{"le":"0.1","latency":"ack",${run}}`]: 3,
      [`plexus_load_latency_seconds_bucket{"le":"+Inf","latency":"ack",${run}}`]: 4,
      [`plexus_load_latency_seconds_count{"latency":"ack",${run}}`]: 4,
    });
    const thresholdsOf = (values: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
      Array.from(values).filter(([name]) => /threshold_met.*"(?:ack|feed_latency|unknown)/.test(name));
    // A latency without measurements is neither met nor missed.
    expect(thresholdsOf(during)).toEqual([
      [`plexus_load_threshold_met{"metric":"ack_latency_p50_ms",${run}}`, 0],
      [`plexus_load_threshold_met{"metric":"unknown",${run}}`, 1],
    ]);
    expect(during.get(`plexus_load_threshold_value{"metric":"ack_latency_p50_ms",${run}}`)).toBeCloseTo(
      60,
      0,
    );
    expect(verdictsOf(before)).toEqual([0, 0, 0, 0]);
    expect(verdictsOf(during)).toEqual([0, 0, 0, 0]);
    expect(after.get(`plexus_hive_run_verdict{"state":"failed",${run}}`)).toBe(1);
    expect(verdictsOf(after).toSorted()).toEqual([0, 0, 0, 1]);
    expect(during.get(`plexus_load_latency_seconds_sum{"latency":"ack",${run}}`)).toBeCloseTo(0.823, 2);
    expect(after.get(`plexus_load_included_total{${run}}`)).toBe(5);
    expect(after.get(`plexus_hive_run_status{"status":"Completed",${run}}`)).toBe(1);
    expect(after.get(`plexus_load_target_rate{${run}}`)).toBe(0);
    await edge.crash();
  });

  it('streams the state of a run, and ends the stream with the run', async () => {
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    const { run_id: runId } = await hive.begin(SCENARIO);
    await hive.until(runId, ({ phase }) => phase === 'steady');
    const reply = await fetch(`${hive.url}/runs/${runId}/events`);
    edge.progress('running', { planned: 41 });
    const text = reply.text();
    edge.progress('done', { planned: 42, sent: 42, included: 42 });
    await hive.end(runId);

    const events = [...(await text).matchAll(/event: (\w+)\ndata: (.*)\n/g)].map(([, event, data = '']) => {
      const { status, progress } = JSON.parse(data) as { status: string; progress: { planned: number } };
      return [event, status, progress.planned] as const;
    });
    expect(reply.headers.get('content-type')).toBe('text/event-stream');
    expect(events[0]?.slice(0, 2)).toEqual(['run', 'Running']);
    expect(events.at(-1)).toEqual(['end', 'Completed', 42]);
    await edge.leave();
  });

  it('survives a client that drops an event stream', async () => {
    const { run_id: runId } = await hive.begin(SCENARIO);
    const socket = connect(Number(new URL(hive.url).port), '127.0.0.1');
    socket.write(`GET /runs/${runId}/events HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'data');

    socket.destroy();

    expect((await hive.call('GET', '/health')).status).toBe(200);
  });
});

describe('a report', () => {
  let hive: TestHive;
  let runId: string;

  beforeAll(async () => {
    hive = await TestHive.start();
    runId = await finishedRun(hive);
  });
  afterAll(() => hive.remove());

  it.each([
    ['?format=html', {}, 'text/html; charset=utf-8', '<!doctype html>'],
    ['?format=junit', {}, 'application/xml; charset=utf-8', '<?xml'],
    ['?format=json', { Accept: 'text/html' }, 'application/json; charset=utf-8', '{"run_id"'],
    ['', {}, 'application/json; charset=utf-8', '{"run_id"'],
    ['', { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, 'text/html; charset=utf-8', '<!doctype'],
    ['', { Accept: 'application/json, text/html' }, 'application/json; charset=utf-8', '{"run_id"'],
  ])(
    'is sent in the form that the query %j and the headers %j request',
    async (query, headers, type, start) => {
      const answer = await hive.call('GET', `/runs/${runId}/report${query}`, undefined, headers);

      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe(type);
      expect(answer.text.toLowerCase().startsWith(start)).toBe(true);
    },
  );

  it('can be compared with another', async () => {
    const other = await finishedRun(hive, 5);
    const path = `/runs/compare?base=${runId}&head=${other}`;

    expect(await hive.json(200, 'GET', path)).toMatchObject({
      base: { run_id: runId },
      head: { run_id: other },
    });
    expect((await hive.call('GET', `${path}&format=html`)).text).toContain('<!doctype html>');
  });

  it('comes with downloadable Parquet files', async () => {
    const { files } = await hive.json<{ files: { name: string; bytes: number }[] }>(
      200,
      'GET',
      `/runs/${runId}/files`,
    );
    const names = files.map(({ name }) => name);
    expect(names).toHaveLength(12);
    expect(names).toEqual(expect.arrayContaining(['run.json', 'scenario.yaml', 'edges-part-00001.parquet']));

    const reply = await fetch(`${hive.url}/runs/${runId}/files/transactions-part-00001.parquet`);
    const bytes = await reply.arrayBuffer();

    expect(bytes.byteLength).toBe(files.find(({ name }) => name.startsWith('transactions'))?.bytes);
    expect(await parquetRows(bytes)).toMatchObject([{ tx: 0n, edge_id: 'a' }, { tx: 1n }, { tx: 2n }]);
  });

  it.each(['..%2f..%2fedges.json', '%2e%2e', 'report.json', 'run.json%00', 'nothing.parquet', '..'])(
    'has no downloadable file named %s',
    async (name) => {
      expect((await hive.call('GET', `/runs/${runId}/files/${name}`)).status).not.toBe(200);
    },
  );

  it('is an error while a file is missing or damaged, and is complete once the file is restored', async () => {
    const path = join(hive.directory, 'runs', runId, 'receipts-part-00001.parquet');
    const whole = await readFile(path);
    const report = (): Promise<unknown> => hive.json(500, 'GET', `/runs/${runId}/report`);

    await rename(path, `${path}.away`);
    expect(await report()).toMatchObject({
      error: 'REPORT_DATA_MISSING',
      message: expect.stringContaining('receipts-part-00001.parquet'),
    });
    await writeFile(path, whole);
    await truncate(path, whole.length - 10);
    expect(await report()).toMatchObject({
      error: 'REPORT_DATA_UNREADABLE',
      message: expect.stringContaining('receipts-part-00001.parquet'),
    });
    await writeFile(path, whole);

    expect(await hive.json(200, 'GET', `/runs/${runId}/report`)).toMatchObject({ run_id: runId });
  });
});

describe('with a key', () => {
  const KEY = 'correct-horse-battery';
  let hive: TestHive;

  beforeAll(async () => {
    hive = await TestHive.start({ environment: { PLEXUS_HIVE_API_KEY: KEY } });
  });
  afterAll(() => hive.remove());

  it.each([
    ['GET', '/edges'],
    ['DELETE', '/edges/a'],
    ['GET', '/runs'],
    ['POST', '/runs'],
    ['GET', '/runs/x/report'],
    ['GET', '/runs/x/events'],
    ['GET', '/runs/x/files/run.json'],
    ['GET', '/metrics'],
    ['GET', '/docs'],
    ['GET', '/docs-json'],
    ['GET', '/'],
    ['GET', '/nowhere'],
  ])('%s %s returns 401 without it', async (method, path) => {
    const answer = await hive.call(method, path);

    expect([answer.status, answer.text]).toEqual([
      401,
      '{"error":"Unauthorized","message":"missing or invalid API key"}',
    ]);
  });

  it('serves /health without it, and other paths with it', async () => {
    const headers = { Authorization: `Bearer ${KEY}` };

    expect((await hive.call('GET', '/health')).status).toBe(200);
    expect(await hive.json(200, 'GET', '/edges', undefined, headers)).toEqual({ edges: [] });
  });

  it('accepts edges, which need no API key', async () => {
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });

    expect(edge.client.isConnected).toBe(true);
    await edge.leave();
  });
});
