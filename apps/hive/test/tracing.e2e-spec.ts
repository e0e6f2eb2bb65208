import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OtlpCollector } from '#testing';
import { LoadSite } from './support/load-site.ts';

describe('traces of a load test', () => {
  let collector: OtlpCollector;
  let site: LoadSite;

  beforeAll(async () => {
    collector = await OtlpCollector.start();
    site = await LoadSite.startWith(collector.environment, ['a', 'b']);
  });
  afterAll(async () => {
    await site.close();
    await collector.stop();
  });

  it('contain the phases of the hive and its edges in one trace', async () => {
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
});
