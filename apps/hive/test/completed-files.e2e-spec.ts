import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '#load/report';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { histogramOf, transaction } from './support/test-rows.ts';
import { SCENARIO } from './support/test-scenario.ts';

const THRESHOLDS = [
  { metric: 'feed_latency_p99_ms', max: 800 },
  { metric: 'not_sent', max: 5 },
];

describe('a run that ended with incomplete files', () => {
  let hive: TestHive;

  beforeEach(async () => {
    hive = await TestHive.start();
  });
  afterEach(() => hive.remove());

  /** An ended run with its report, whose record then loses its list of files, as on a full disk. */
  async function endedWithoutList(): Promise<{ runId: string; before: Report }> {
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    const { run_id: runId } = await hive.begin({ ...SCENARIO, thresholds: THRESHOLDS });
    await hive.until(runId, ({ phase }) => phase === 'steady');
    edge.record('transactions', transaction(1));
    await edge.flush();
    edge.progress('done', { planned: 1, sent: 1, included: 1 }, { intended_feed: histogramOf(100_000) });
    await hive.end(runId);
    const before = await hive.json<Report>(200, 'GET', `/runs/${runId}/report`);
    await edge.leave();
    const { directory } = hive;
    await hive.stop();
    const path = join(directory, 'runs', runId, 'run.json');
    const record = JSON.parse(await readFile(path, 'utf8')) as object;
    await writeFile(path, JSON.stringify({ ...record, parts: [] }));
    hive = await TestHive.start({ directory });
    return { runId, before };
  }

  it('has an unchanged report once they are completed, including latencies measured during the run', async () => {
    const { runId, before } = await endedWithoutList();

    const report = await hive.json<Report>(200, 'GET', `/runs/${runId}/report`);

    expect(report).toEqual(before);
    expect(report.thresholds.map(({ is_met: isMet }) => isMet)).toEqual([true, true, true, true, true]);
  });
});
