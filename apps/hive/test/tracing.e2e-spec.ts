import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CollectedPoint, OtlpCollector } from '#testing';
import { LoadSite } from './support/load-site.ts';

describe('telemetry of a load test', () => {
  let collector: OtlpCollector;
  let site: LoadSite;

  beforeAll(async () => {
    collector = await OtlpCollector.start();
    const metrics = { OTEL_METRICS_EXPORTER: 'otlp', OTEL_METRIC_EXPORT_INTERVAL: '200' };
    site = await LoadSite.startWith({ ...collector.environment, ...metrics }, ['a', 'b']);
  });
  afterAll(async () => {
    await site.close();
    await collector.stop();
  });

  it('has the phases of the hive and its edges in one trace', async () => {
    const { runId } = await site.begin({ stages: [{ duration: '500ms', rate: 20 }] });

    const run = await collector.named('run');
    const parts = [await collector.named('edge.run', 1), await collector.named('edge.run', 2)];

    expect(run).toMatchObject({
      service: 'plexus-hive',
      isFailed: false,
      attributes: { 'run.id': runId, 'run.status': 'Completed' },
    });
    for (const part of parts) {
      expect(part).toMatchObject({ service: 'plexus-edge', traceId: run.traceId, parentSpanId: run.spanId });
      expect(part.attributes).toMatchObject({ 'run.id': runId, 'run.phase': 'done' });
    }
    const phases = collector.spans.filter(({ parentSpanId }) => parentSpanId === run.spanId);
    const names = phases.map(({ name }) => name.replace(/^run /, ''));
    expect(names).toEqual(expect.arrayContaining(['awaiting_acks', 'presigning', 'verifying']));
    const edgePhases = collector.spans
      .filter(({ parentSpanId }) => parentSpanId === parts[0]?.spanId)
      .map(({ name }) => name.replace(/^edge.run /, ''));
    expect(edgePhases).toEqual(['presigning', 'ready', 'running', 'draining', 'settling', 'done']);
  });

  it('has the metrics of the hive and its edges, with thresholds and verdict', async () => {
    const { runId } = await site.begin({ stages: [{ duration: '500ms', rate: 20 }] });
    const run = await site.until(runId, ({ verdict }) => verdict !== null);
    const isVerdict = ({ name, value, attributes }: CollectedPoint): boolean =>
      name === 'plexus_hive_run_verdict' && value === 1 && attributes['state'] === run.verdict?.state;

    const isSent = ({ name, value, kind }: CollectedPoint): boolean =>
      name === 'plexus_load_sent_total' && kind === 'sum' && value === run.progress.sent;

    // An earlier export has the run before.
    const points = await collector.exports.until(
      (exported) => exported.some(isVerdict) && exported.some(isSent),
    );

    expect(new Set(points.map(({ service }) => service))).toEqual(new Set(['plexus-hive']));
    const states = points.filter(({ name, value }) => name === 'plexus_load_threshold_state' && value === 1);
    expect(states.map(({ attributes }) => attributes['metric'])).toEqual(
      run.thresholds.map(({ metric }) => metric),
    );
    await collector.exports.until((exported) =>
      exported.some(({ name }) => name === 'plexus_edge_sent_total'),
    );
  });
});
