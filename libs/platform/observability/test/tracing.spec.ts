import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/foundation';
import {
  isTracing,
  type Log,
  PhaseTrace,
  type RunningTracing,
  startSpan,
  startTracing,
  traced,
  tracedSteps,
} from '#platform/observability';
import { OtlpCollector } from '#testing';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';

describe('tracing', () => {
  let collector: OtlpCollector;
  let running: RunningTracing | undefined;
  let lines: { readonly event?: string; readonly variable?: string }[];
  let log: Log;

  beforeEach(async () => {
    collector = await OtlpCollector.start();
    running = undefined;
    lines = [];
    const tell = (fields: object) => lines.push(fields);
    log = { debug: tell, info: tell, warn: tell, error: tell, fatal: tell };
  });
  afterEach(async () => {
    await running?.close();
    await collector.stop();
  });

  async function start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const whole = { ...collector.environment, ...environment };
    running = await startTracing({ environment: whole, service: 'a-service' }, log);
  }

  /** Exports the remaining spans. */
  async function end(): Promise<void> {
    await running?.close();
    running = undefined;
  }

  it.each([
    ['no collector', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    ['OTEL_SDK_DISABLED', { OTEL_SDK_DISABLED: 'true' }],
    ['OTEL_TRACES_EXPORTER=none', { OTEL_TRACES_EXPORTER: 'none' }],
    ['an invalid endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://s3cret@x' }],
  ])('is off with %s: work runs as usual, and no request is sent', async (_, environment) => {
    await start(environment);

    const span = startSpan('a');
    const given = traced('b', (inner) => inner ?? 'work');
    await end();

    expect([isTracing(), span, given]).toEqual([false, undefined, 'work']);
    expect(collector.connections).toBe(0);
    expect(JSON.stringify(lines)).not.toContain('s3cret');
  });

  it('sends spans with their parents, under the name of the service', async () => {
    await start({ OTEL_SERVICE_NAME: '' });

    await traced('outer', async () => {
      traced('first', () => undefined);
      await Promise.resolve();
      const steps = tracedSteps(
        'second',
        (function* () {
          yield;
          return 1;
        })(),
      );
      expect([...steps]).toEqual([undefined]);
    });
    await end();

    const { traceId, service } = await collector.named('outer');
    expect(collector.treeOf(traceId)).toEqual(['outer', '  first', '  second']);
    expect(service).toBe('a-service');
    expect(collector.requests[0]).toMatchObject({ path: '/v1/traces' });
  });

  it('continues the trace of another process, and respects its sampling flag', async () => {
    await start();

    startSpan('kept', { parent: `${PARENT}-01` })?.end();
    startSpan('left', { parent: `${PARENT}-00` })?.end();
    startSpan('anew', { parent: 'nonsense' })?.end();
    await end();

    const kept = await collector.named('kept');
    expect(kept).toMatchObject({ traceId: PARENT.slice(3, 35), parentSpanId: PARENT.slice(36) });
    expect(collector.spans.map(({ name }) => name).sort()).toEqual(['anew', 'kept']);
  });

  it('reports failures by their code, never by their message', async () => {
    await start();

    expect(() =>
      traced('sync', () => {
        throw new DomainError('NOT_FOUND', 's3cret');
      }),
    ).toThrow('s3cret');
    await expect(traced('async', () => Promise.reject(new TypeError('s3cret')))).rejects.toThrow('s3cret');
    await end();

    const failures = collector.spans.map(({ isFailed, attributes }) => [isFailed, attributes['error.type']]);
    expect(failures).toEqual([
      [true, 'NOT_FOUND'],
      [true, 'TypeError'],
    ]);
    expect(collector.text).not.toContain('s3cret');
  });

  it('records phases', async () => {
    await start();
    const trace = new PhaseTrace('run', { id: 1 });

    for (const phase of ['a', 'a', 'b']) trace.enter(phase);
    trace.end({ status: 'done' }, 'why');
    trace.end();
    await end();

    const run = await collector.named('run');
    expect(collector.treeOf(run.traceId)).toEqual(['run', '  run a', '  run b']);
    expect(run).toMatchObject({ isFailed: true, attributes: { status: 'done', 'error.type': 'why' } });
    expect(trace.traceparent).toContain(run.spanId);
  });

  it.each([
    ['always_off', '', 0],
    ['traceidratio', '0', 0],
    ['traceidratio', '1', 100],
    ['parentbased_always_off', '', 0],
  ])('samples by %s %s', async (sampler, arg, count) => {
    await start({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: arg });

    for (let at = 0; at < 100; at++) startSpan('a')?.end();
    await end();

    expect(collector.spans).toHaveLength(count);
  });

  it('ignores invalid variables, and reports their names', async () => {
    await start({
      OTEL_TRACES_SAMPLER: 'xray',
      OTEL_TRACES_SAMPLER_ARG: '7',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TIMEOUT: 'soon',
    });

    startSpan('a')?.end();
    await end();

    expect(collector.spans).toHaveLength(1);
    expect(lines.flatMap(({ variable }) => variable ?? [])).toEqual([
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'OTEL_TRACES_SAMPLER',
      'OTEL_TRACES_SAMPLER_ARG',
    ]);
  });

  it.each(['hangs', 'refuses', 'answers with an error', 'answers with nonsense'])(
    'keeps a bounded number of spans for a collector that %s, and ends',
    async (way) => {
      await start({ OTEL_EXPORTER_OTLP_TIMEOUT: '200' });
      collector.answer = (reply) => {
        if (way === 'answers with nonsense') reply.end('\0{');
        if (way === 'answers with an error') reply.writeHead(503, { 'Retry-After': '600' }).end('s3cret');
      };
      if (way === 'refuses') await collector.stop();

      for (let at = 0; at < 20_000; at++) startSpan(`span ${at}`)?.end();
      await end();

      expect(collector.spans.length).toBeLessThanOrEqual(4_096 + 512);
      const trouble = lines.filter(({ event }) => event === 'tracing.trouble');
      expect(trouble.length).toBeLessThanOrEqual(1);
      expect(JSON.stringify(lines)).not.toContain('s3cret');
    },
  );

  it('does not block while a collector hangs', async () => {
    await start({ OTEL_EXPORTER_OTLP_TIMEOUT: '200' });
    collector.answer = () => undefined;

    const given = [];
    for (let at = 0; at < 1_000; at++) given.push(await traced('work', () => Promise.resolve(at)));
    await collector.named('work', 500);

    expect(given).toHaveLength(1_000);
    expect(await traced('more', () => Promise.resolve('done'))).toBe('done');
  });
});
