import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConnector, readConnector } from '#graph/connector';
import { type Log, type RunningTracing, startTracing } from '#platform/observability';
import { type CollectedSpan, OtlpCollector } from '#testing';
import { startServer } from './support/built-program.ts';
import { ESTATE } from './support/estate.ts';
import { TestService } from './support/test-service.ts';

const nothing = (): void => undefined;
const LOG: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing };
const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const SECRET = 's3cret-value';

const steps = defineConnector({
  name: 'steps',
  about: 'two steps, of which one fails',
  config: {},
  steps: () => [
    {
      id: 'hosts',
      emits: { entities: ['host'] },
      run: (context) => context.emitEntity({ type: 'host', key: SECRET, properties: { name: SECRET } }),
    },
    {
      id: 'broken',
      emits: { entities: ['site'] },
      run: () => {
        throw new Error(SECRET);
      },
    },
  ],
});

describe('traces of the graph service', () => {
  let collector: OtlpCollector;
  let tracing: RunningTracing | undefined;
  let service: TestService;

  beforeAll(async () => {
    collector = await OtlpCollector.start();
    tracing = await startTracing({ environment: collector.environment, service: 'plexus' }, LOG);
    const connector = readConnector('connector: steps', 'steps.yaml', { types: [steps], environment: {} });
    service = await TestService.start({ connectors: [connector] });
  });
  afterAll(async () => {
    await service.stop();
    await tracing?.close();
    await collector.stop();
  });

  const traceOf = async (name: string, count = 1): Promise<readonly [CollectedSpan, readonly string[]]> => {
    const first = await collector.named(name, count);
    return [first, collector.treeOf(first.traceId)];
  };

  it('cover a write through the log to the disk', async () => {
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);

    const [, tree] = await traceOf('POST /v1/ingest/sync');
    expect(tree).toEqual([
      'POST /v1/ingest/sync',
      '  ingest.diff',
      '    ingest.plan',
      '    ingest.log',
      '    ingest.sync',
    ]);
  });

  it("cover a query from its request to its reply, in the client's trace", async () => {
    const pql = `FIND host WITH name = '${SECRET}'`;
    await service.json(200, 'POST', '/v1/query', { pql }, { traceparent: PARENT });

    const [request, tree] = await traceOf('POST /v1/query');
    expect(tree).toEqual([
      'POST /v1/query',
      '  query.parse',
      '  query.plan',
      '  query.execute',
      '  query.encode',
    ]);
    expect(request).toMatchObject({
      traceId: PARENT.slice(3, 35),
      parentSpanId: PARENT.slice(36, 52),
      kind: 2,
      isFailed: false,
      attributes: { 'http.response.status_code': 200, 'http.route': '/v1/query' },
    });
  });

  it('show the stage in which a query failed', async () => {
    await service.call('POST', '/v1/query', { pql: `FIND ${SECRET} WITH` });

    const [, tree] = await traceOf('POST /v1/query', 2);
    expect(tree).toEqual(['POST /v1/query', '  query.parse']);
    expect(await collector.story.until(({ isFailed }) => isFailed)).toMatchObject({
      name: 'query.parse',
      attributes: { 'error.type': 'PQL_SYNTAX' },
    });
  });

  it('cover each rule of an evaluation, on any thread', async () => {
    const rules = [
      { id: 'first', query: `FIND host WITH name = '${SECRET}'` },
      { id: 'second', query: 'FIND user' },
    ];
    await service.json(200, 'POST', '/v1/policies', { rules });
    await service.json(200, 'POST', '/v1/policies/evaluate', {});

    const [, tree] = await traceOf('POST /v1/policies/evaluate');
    expect(tree.filter((line) => !line.includes('ingest'))).toEqual([
      'POST /v1/policies/evaluate',
      '  rules.evaluate',
      '    rule.evaluate',
      '    rule.evaluate',
    ]);
    const evaluated = collector.spans.filter(({ name }) => name === 'rule.evaluate');
    expect(evaluated.map(({ attributes }) => attributes['rule.id']).sort()).toEqual(['first', 'second']);
  });

  it('cover the steps of a connector', async () => {
    await service.json(202, 'POST', '/v1/connectors/steps/run', {});

    const run = await collector.named('connector.run');
    const mine = collector.spans.filter(({ parentSpanId }) => parentSpanId === run.spanId);
    expect(run.attributes).toMatchObject({ 'connector.id': 'steps', 'connector.status': 'partial' });
    expect(mine.map(({ name, isFailed }) => [name, isFailed]).sort()).toEqual([
      ['connector.step', false],
      ['connector.step', true],
      ['ingest.diff', false],
    ]);
  });

  it('contain no content of queries, bodies, paths or errors', async () => {
    await service.call('GET', `/v1/entities/${SECRET}`);
    await service.call('GET', `/${SECRET}?${SECRET}`, undefined, { authorization: `Bearer ${SECRET}` });
    await collector.named('GET');

    expect(collector.spans.length).toBeGreaterThan(20);
    expect(collector.text).not.toContain(SECRET);
  });
});

/** Prints whether the SDK is loaded; prom-client always loads the API. */
const WATCH = `data:text/javascript,import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  if (url.includes('otel-source')) process.stderr.write('LOADED ' + url + '\\n');
  return next(url, context);
} });`;

describe('the program', () => {
  let directory: string;
  let collector: OtlpCollector;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-tracing-'));
    collector = await OtlpCollector.start();
  });
  afterAll(async () => {
    await collector.stop();
    await rm(directory, { recursive: true });
  });

  const queryOf = async (url: string): Promise<number> => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ pql: 'FIND host' });
    return (await fetch(`${url}/v1/query`, { method: 'POST', headers, body })).status;
  };

  it.each([
    ['without a collector', {}, 0],
    ['with one', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, 1],
  ])('%s loads of OpenTelemetry what it needs', async (_, environment, least) => {
    const watch = { NODE_OPTIONS: `--import ${WATCH.replaceAll(/\s+/g, '%20')}` };
    const server = await startServer(['--data-dir', directory], { ...environment, ...watch });

    expect(await queryOf(server.url)).toBe(200);
    expect(await server.end('SIGTERM')).toBe(0);

    const loaded = server.log.filter((line) => line.startsWith('LOADED'));
    expect(Math.min(1, loaded.length)).toBe(least);
  });

  it('exports its last spans before it exits', async () => {
    const server = await startServer(['--data-dir', directory], {
      ...collector.environment,
      OTEL_SERVICE_NAME: 'my-graph',
    });
    await queryOf(server.url);
    expect(await server.end('SIGTERM')).toBe(0);

    expect(await collector.named('POST /v1/query')).toMatchObject({ service: 'my-graph' });
  });

  it('serves and exits normally while its collector hangs', async () => {
    collector.answer = nothing;
    const server = await startServer(['--data-dir', directory], collector.environment);
    const before = collector.requests.length;
    for (let at = 0; at < 200; at++) expect(await queryOf(server.url)).toBe(200);
    await collector.story.until(() => collector.requests.length > before);

    expect(await queryOf(server.url)).toBe(200);
    expect(await server.end('SIGTERM')).toBe(0);
    expect(server.log.at(-1)).toContain('"event":"server.stopped"');
  });
});
