import { describe, expect, it } from '@jest/globals';
import { parseScenario } from '#load/scenario';
import { systemClock } from '#platform/foundation';
import { createLogger } from '#platform/observability';
import { CrashDisk } from '#testing';
import { EdgeRegistry } from '../edge/edge-registry.ts';
import { EdgeSessions } from '../edge/edge-sessions.ts';
import { newRunState, type RunMember } from '../record/run-state.ts';
import { type RunFile, RunStore } from '../record/run-store.ts';
import { ActiveRun } from './active-run.ts';
import { FunderTurns, openWallet } from './funding.ts';
import { RUN_TIMES } from './run-watchdog.ts';
import { Run } from './run.ts';

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

describe('RunEffects', () => {
  it('saves the ends of many edges together, and all of them by the time it is closed', async () => {
    const disk = new CrashDisk(3);
    await disk.makeDirectory('/data');
    await disk.makeDirectory('/data/runs');
    const file = await new RunStore(disk, '/data').create(RUN_ID, '');
    const members = Array.from({ length: EDGES }, (_, i) => member(i));
    const run = runOf(members);
    const active = await activate(run, disk, file);
    disk.plan({});

    for (const { edgeId } of members.slice(1)) {
      run.happened({ type: 'progressed', edgeId, instanceId: '1', phase: 'done', reason: '' });
    }
    await active.close();

    const ends = (await file.read())?.state.members.map(({ end }) => end) ?? [];
    expect(ends.filter((end) => end === 'done')).toHaveLength(EDGES - 1);
    expect(disk.calls).toBeLessThanOrEqual(2 * CALLS_A_SAVE_MAX);
  });

  it('keeps working after a change without tasks', async () => {
    const disk = new CrashDisk(3);
    await disk.makeDirectory('/data');
    await disk.makeDirectory('/data/runs');
    const file = await new RunStore(disk, '/data').create(RUN_ID, '');
    const run = runOf([member(0)]);
    const active = await activate(run, disk, file);
    const looked = changeOf(active);
    run.learned({ type: 'watched', clocks: new Map(), silent: new Set() });
    await looked;
    const cut = changeOf(active);
    run.happened({ type: 'load_cut', reason: 'threshold_missed' });
    await cut;

    expect((await file.read())?.state.ending?.reason).toBe('threshold_missed');
    await active.close();
  });

  it('fails a run with no_disk_space if its state cannot be saved', async () => {
    const disk = new CrashDisk(3);
    await disk.makeDirectory('/data');
    await disk.makeDirectory('/data/runs');
    const file = await new RunStore(disk, '/data').create(RUN_ID, '');
    const run = runOf([member(0)]);
    const active = await activate(run, disk, file);
    disk.plan({ capacityBytes: 10 });

    run.happened({ type: 'load_cut', reason: 'threshold_missed' });
    await active.effects.idle();

    expect(run.state.ending).toEqual({ status: 'Failed', reason: 'no_disk_space' });
    await active.close();
  });
});

/** Resolves when the current tasks are done. Not `idle`, which would hang if the work loop never ended. */
function changeOf({ effects }: ActiveRun): Promise<void> {
  return new Promise((resolve) => {
    const end = effects.listen(() => {
      end();
      resolve();
    });
  });
}

/** A run under load. */
function runOf(members: readonly RunMember[]): Run {
  const scenario = parseScenario(SCENARIO);
  const rules = { edgesMin: 1, failsOnEdgeLoss: false };
  const state = {
    ...newRunState(rules),
    status: 'Running',
    phase: 'steady',
    isStarted: true,
    members,
  } as const;
  const none = { startedAtUs: null, rates: [], participants: new Map(), findings: [], clocks: new Map() };
  return new Run(
    { runId: RUN_ID, scenario, randomSeed: 1, createdAtUs: 0 },
    { ...none, state, progress: new Map() },
  );
}

async function activate(run: Run, disk: CrashDisk, file: RunFile): Promise<ActiveRun> {
  const log = createLogger({ format: 'json', level: 'silent' });
  const registry = await EdgeRegistry.open({ disk, directory: '/data', clock: systemClock });
  const sessions = new EdgeSessions(registry, systemClock);
  const place = { disk, directory: '/data/telemetry', compression: 'none' } as const;
  const wallet = openWallet(run.scenario, {});
  return ActiveRun.of(
    run,
    { file, wallet, place },
    { sessions, turns: new FunderTurns(), times: RUN_TIMES, log },
  );
}
