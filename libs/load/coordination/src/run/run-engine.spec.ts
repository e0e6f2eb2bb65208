import { describe, expect, it } from '@jest/globals';
import { parseScenario } from '#load/scenario';
import { createLogger } from '#platform/observability';
import { CrashDisk } from '#testing';
import type { RunMember } from '../record/run-state.ts';
import { RunStore } from '../record/run-store.ts';
import { RunData } from './run-data.ts';
import { RunEngine } from './run-engine.ts';

const RUN_ID = 'r-20261121-142000-k3v9ax';
const SCENARIO = {
  name: 'many edges',
  target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
  accounts: { count: 1_000 },
  load: { stages: [{ duration: '1h', rate: 100 }] },
};
const EDGES = 200;
const CALLS_A_SAVE_MAX = 6;

const member = (i: number): RunMember => ({
  edgeId: `edge-${i}`,
  instanceId: '1',
  answer: { kind: 'acked' },
  phase: 'running',
  end: null,
  reason: null,
});

describe('RunEngine', () => {
  it('writes the ends of many edges down together, and all of them when it is closed', async () => {
    const disk = new CrashDisk(3);
    await disk.makeDirectory('/data');
    await disk.makeDirectory('/data/runs');
    const file = await new RunStore(disk, '/data').create(RUN_ID, '');
    const runData = new RunData({
      runId: RUN_ID,
      scenario: parseScenario(SCENARIO),
      randomSeed: 1,
      createdAtUs: 0,
    });
    const members = Array.from({ length: EDGES }, (_, i) => member(i));
    runData.state = { ...runData.state, status: 'Running', phase: 'steady', isStarted: true, members };
    const log = createLogger({ format: 'json', level: 'silent' });
    const engine = new RunEngine({
      ...{ runData, file, log, leadMs: 0 },
      perform: () => undefined,
      onStep: () => undefined,
    });
    disk.plan({});

    for (const { edgeId } of members.slice(1)) {
      engine.happened({ type: 'progressed', edgeId, instanceId: '1', phase: 'done', reason: '' });
    }
    await engine.close();

    const ends = (await file.read())?.state.members.map(({ end }) => end) ?? [];
    expect(ends.filter((end) => end === 'done')).toHaveLength(EDGES - 1);
    expect(disk.calls).toBeLessThanOrEqual(2 * CALLS_A_SAVE_MAX);
  });
});
