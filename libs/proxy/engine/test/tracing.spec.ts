import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Log, type RunningTracing, startTracing } from '#platform/observability';
import { type CollectedSpan, OtlpCollector } from '#testing';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { answering, ScriptedUpstream } from './upstreams.ts';

const nothing = (): void => undefined;
const LOG: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing };
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const SENT = /^traceparent: 00-([0-9a-f]{32})-([0-9a-f]{16})-01\r$/gm;

describe('tracing of the proxy', () => {
  let collector: OtlpCollector;
  let tracing: RunningTracing | undefined;
  let upstream: ScriptedUpstream;
  let bed: ProxyBed;
  let answer: string;

  beforeAll(async () => {
    collector = await OtlpCollector.start();
    tracing = await startTracing({ environment: collector.environment, service: 'plexus-proxy' }, LOG);
  });
  afterAll(async () => {
    await tracing?.close();
    await collector.stop();
  });
  beforeEach(async () => {
    answer = OK;
    upstream = await ScriptedUpstream.start((socket) => answering(answer)(socket));
  });
  afterEach(async () => {
    await bed.stop();
    await upstream.stop();
  });

  async function ask(headers: string, route: object = {}, cluster: object = {}): Promise<CollectedSpan> {
    const prefix = `/r${collector.spans.length}-${Math.random().toString(36).slice(2)}`;
    bed = await ProxyBed.start({
      listeners: [{ name: 'web', address: '127.0.0.1:0' }],
      clusters: [{ name: 'api', endpoints: [{ address: upstream.address }], ...cluster }],
      routes: [{ prefix, cluster: 'api', ...route }],
      drain: { grace: '0s', timeout: '2s' },
    });
    const head = `GET ${prefix}/s3cret?s3cret HTTP/1.1\r\nHost: a\r\nCookie: s3cret\r\n${headers}Connection: close\r\n\r\n`;
    await RawClient.exchange(await bed.port('web'), head);
    await bed.atRest();
    return collector.named(`GET ${prefix}`);
  }

  const sent = (): readonly (readonly [string, string])[] =>
    Array.from(upstream.seen.matchAll(SENT), ([, trace = '', span = '']) => [trace, span] as const);

  it("continues the client's trace, and sends the span of the attempt to the upstream", async () => {
    const span = await ask(`traceparent: ${PARENT}\r\ntracestate: vendor=1\r\n`);

    const [[trace, parent] = ['', '']] = sent();
    const attempt = await collector.story.until(({ spanId }) => spanId === parent);
    expect(span).toMatchObject({ traceId: TRACE, parentSpanId: 'b7ad6b7169203331', kind: 2 });
    expect(trace).toBe(TRACE);
    expect(attempt).toMatchObject({
      parentSpanId: span.spanId,
      kind: 3,
      attributes: { 'http.response.status_code': 200, 'plexus.endpoint': upstream.address },
    });
    expect(upstream.seen).toContain('tracestate: vendor=1\r\n');
    expect(upstream.seen.match(/traceparent/gi)).toHaveLength(1);
  });

  it.each([
    ['none', ''],
    ['nonsense', 'traceparent: nonsense\r\ntracestate: vendor=1\r\n'],
    ['two', `traceparent: ${PARENT}\r\nTraceParent: ${PARENT}\r\ntracestate: vendor=1\r\n`],
    ['one of zeros', `traceparent: 00-${'0'.repeat(32)}-b7ad6b7169203331-01\r\n`],
    ['one too long', `traceparent: 01-${TRACE}-b7ad6b7169203331-01-${'a'.repeat(4_000)}\r\n`],
    ['one with a trailing byte', `traceparent: ${PARENT}\xff\r\n`],
  ])('begins a new trace with %s', async (_, headers) => {
    const span = await ask(headers);

    expect(span.parentSpanId).toBe('');
    expect(span.traceId).not.toBe(TRACE);
    expect(sent().map(([trace]) => trace)).toEqual([span.traceId]);
    expect(upstream.seen).not.toContain('tracestate');
  });

  it('has a span for each attempt, and sends each its own', async () => {
    answer = 'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n';
    const span = await ask('', {}, { retry: { on: [503], max: 1 } });

    const spans = sent().map(([, id]) => id);
    const tries = collector.spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
    expect(new Set(spans).size).toBe(spans.length);
    expect(tries.map(({ spanId }) => spanId)).toEqual(spans);
    expect(span).toMatchObject({ isFailed: true, attributes: { 'http.response.status_code': 503 } });
  });

  it('lets the rules of a route override the headers', async () => {
    await ask(`traceparent: ${PARENT}\r\n`, { request_headers: { remove: ['traceparent'] } });

    expect(upstream.seen).not.toContain('traceparent');
  });

  it('records why there was no response', async () => {
    const refusing = { endpoints: [{ address: '127.0.0.1:1' }] };
    const span = await ask('', {}, refusing);

    expect(span).toMatchObject({ isFailed: true, attributes: { 'plexus.failure': 'connection_refused' } });
  });

  it('never records a path, a query or a header', () => {
    expect(collector.spans.length).toBeGreaterThan(10);
    expect(collector.text).not.toContain('s3cret');
  });
});

describe('without a collector', () => {
  it('forwards both headers unchanged', async () => {
    const upstream = await ScriptedUpstream.start(answering(OK));
    const bed = await ProxyBed.start({
      listeners: [{ name: 'web', address: '127.0.0.1:0' }],
      clusters: [{ name: 'api', endpoints: [{ address: upstream.address }] }],
      routes: [{ prefix: '/', cluster: 'api' }],
      drain: { grace: '0s', timeout: '2s' },
    });
    const headers = 'TraceParent: nonsense\r\nTRACESTATE: a=b\r\n';

    await RawClient.exchange(
      await bed.port('web'),
      `GET / HTTP/1.1\r\nHost: a\r\n${headers}Connection: close\r\n\r\n`,
    );

    expect(upstream.seen).toContain(headers);
    await bed.stop();
    await upstream.stop();
  });
});
