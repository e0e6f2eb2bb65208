import { describe, expect, it } from '@jest/globals';
import { Ticks } from '#graph/engine';
import type { EntityStatement, RelationshipInput } from '#graph/model';
import { MemoryDocuments } from '#graph/testing';
import { TurnedClock } from '../../test/turned-clock.ts';
import { defineConnector } from '../config/connector-type.ts';
import { readConnector } from '../config/read-connector.ts';
import { NoEntities } from '../run/graph-entities.port.ts';
import type { Step } from '../run/step.ts';
import { ConnectorRuns } from './connector-runs.ts';
import { ConnectorSchedules } from './connector-schedules.ts';
import type { RunRecord } from './run-history.ts';
import { type SyncContent, type SyncCounts, SyncTarget } from './sync-target.port.ts';

const SILENT = { info: () => undefined, warn: () => undefined };
const DAY_MS = 86_400_000;
const HOST = { type: 'host', key: 'a' };

interface SeenSync extends Omit<SyncContent, 'partialTypes' | 'entities' | 'relationships'> {
  readonly partialTypes: readonly string[];
  readonly entities: readonly EntityStatement[];
  readonly relationships: readonly RelationshipInput[];
}

class RememberingTarget extends SyncTarget {
  readonly seen: SeenSync[] = [];
  refusal: Error | undefined;
  /** Called before and after the plan. */
  beforePlan = (): void => undefined;
  afterPlan = (): void => undefined;
  last: SyncCounts | undefined;

  override async sync(content: SyncContent): Promise<SyncCounts> {
    if (this.refusal !== undefined) throw this.refusal;
    this.beforePlan();
    this.seen.push({
      ...content,
      partialTypes: content.partialTypes(),
      entities: [...content.entities()],
      relationships: [...content.relationships()],
    });
    this.afterPlan();
    return { sync_id: content.syncId } as SyncCounts;
  }

  override lastSync(): SyncCounts | undefined {
    return this.last;
  }
}

/** A strictly increasing clock. */
class TickingClock extends TurnedClock {
  #ticks = 0;

  override nowMs(): number {
    return super.nowMs() + this.#ticks++;
  }
}

/** State that survives the end of a process. */
class World {
  readonly documents = new MemoryDocuments();
  readonly target = new RememberingTarget();
  readonly clock: TurnedClock;
  readonly #elected: (() => void)[] = [];
  readonly leadership = { isLeader: true, onElected: (listener: () => void) => this.#elected.push(listener) };

  constructor(clock = new TurnedClock()) {
    this.clock = clock;
  }

  open(steps: readonly Step[], more = '', ids = ['one', 'two']): Promise<ConnectorRuns> {
    const type = defineConnector({ name: 'test', about: 'a test', config: {}, steps: () => steps });
    const read = (id: string) =>
      readConnector(`connector: test\n${more}`, `${id}.yaml`, { types: [type], environment: {} });
    const { documents, target, clock } = this;
    const connectors = ids.map(read);
    return ConnectorRuns.open({ connectors, target, graph: new NoEntities(), documents, log: SILENT, clock });
  }

  schedule(runs: ConnectorRuns): ConnectorSchedules {
    const { documents, leadership, clock } = this;
    const ticks = new Ticks({ documents, isShared: false });
    const schedules = new ConnectorSchedules(runs, { leadership, ticks }, SILENT, clock);
    schedules.start();
    return schedules;
  }

  elect(): void {
    this.leadership.isLeader = true;
    for (const listener of this.#elected) listener();
  }
}

async function runsOf(steps: readonly Step[]) {
  const world = new World();
  return { runs: await world.open(steps), target: world.target };
}

function startsOf(runs: ConnectorRuns): readonly string[] {
  return runs.list('one').map(({ started_at: at }) => at);
}

/** Starts a run and waits for its end. */
async function runOnce(runs: ConnectorRuns, id = 'one'): Promise<RunRecord> {
  return runs.wait((await runs.start(id)).run_id);
}

const HOUR_MS = 3_600_000;

const hostStep: Step = {
  id: 'hosts',
  emits: { entities: ['host'] },
  run: (context) => context.emitEntity(HOST),
};
const failingStep: Step = {
  id: 'users',
  emits: { entities: ['user'], relationships: ['KNOWS'] },
  run: () => {
    throw new Error('expired password');
  },
};

/** A step that keeps its context for work that it does not await, and the emit of that work. */
function forgetfulStep(emits: NonNullable<Step['emits']>): {
  readonly step: Step;
  readonly late: () => void;
} {
  let emitLate = (): void => undefined;
  const step: Step = {
    id: 'forgetful',
    emits,
    run(context) {
      context.emitEntity(HOST);
      emitLate = () => context.emitEntity({ type: 'host', key: 'late' });
    },
  };
  return { step, late: () => expect(() => emitLate()).toThrow('has ended') };
}

describe('ConnectorRuns', () => {
  it('keeps what a step would have emitted too late, until the sync is planned', async () => {
    const { step, late } = forgetfulStep({ entities: ['host'], relationships: ['RUNS'] });
    const { runs, target } = await runsOf([step]);
    target.beforePlan = late;

    const run = await runOnce(runs);

    expect(run).toMatchObject({ status: 'partial', partial_types: ['host', 'RUNS'] });
    expect(run.warnings).toEqual([expect.stringMatching(/^forgetful: had not finished at its end: step/)]);
    expect(target.seen).toMatchObject([{ partialTypes: ['host', 'RUNS'] }]);
  });

  it('reports what the sync was planned with, whatever comes later', async () => {
    const { step, late } = forgetfulStep({ entities: ['host'] });
    const { runs, target } = await runsOf([step]);
    target.afterPlan = late;

    const run = await runOnce(runs);

    expect(run).toMatchObject({ status: 'complete', partial_types: [], warnings: [] });
    expect(target.seen).toMatchObject([{ partialTypes: [] }]);
  });

  it('syncs nothing if a step of unknown types turns out to be unfinished', async () => {
    const { step, late } = forgetfulStep({ entities: ['*'] });
    const { runs, target } = await runsOf([step]);
    target.beforePlan = late;

    const run = await runOnce(runs);

    expect(run).toMatchObject({ status: 'failed', reason: 'which types are incomplete is not known' });
    expect(target.seen).toEqual([]);
  });

  it('syncs the emits under the id of the run, with the partial types', async () => {
    const { runs, target } = await runsOf([hostStep, failingStep]);

    const started = await runs.start('one');
    const ended = await runs.wait(started.run_id);

    expect(started).toMatchObject({ connector_id: 'one', status: 'collecting', ended_at: null });
    expect(ended).toMatchObject({ status: 'partial', entities: 1, sync: { sync_id: started.run_id } });
    expect(target.seen).toMatchObject([
      {
        connectorId: 'one',
        syncId: started.run_id,
        partialTypes: ['user', 'KNOWS'],
        entities: [HOST],
        force: false,
      },
    ]);
    expect(runs.latest('one')).toEqual(ended);
  });

  it('syncs nothing if no step succeeded', async () => {
    const { runs, target } = await runsOf([failingStep]);

    const ended = await runOnce(runs);

    expect(ended).toMatchObject({ status: 'failed', reason: 'users: expired password' });
    expect(target.seen).toEqual([]);
  });

  it('reports a rejected sync', async () => {
    const { runs, target } = await runsOf([hostStep]);
    target.refusal = new Error('the sync would delete too much');

    const ended = await runOnce(runs);

    expect(ended).toMatchObject({ status: 'failed', reason: 'the sync would delete too much', entities: 1 });
  });

  it('rejects a second concurrent run of a connector, and runs another connector', async () => {
    const gate = Promise.withResolvers<undefined>();
    const { runs } = await runsOf([{ ...hostStep, run: () => gate.promise }]);

    const first = await runs.start('one');
    const other = await runs.start('two');

    await expect(runs.start('one')).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { run_id: first.run_id },
    });
    gate.resolve(undefined);
    await Promise.all([runs.wait(first.run_id), runs.wait(other.run_id)]);
    expect((await runs.start('one')).run_id).not.toBe(first.run_id);
  });

  it('rejects unknown connectors and runs', async () => {
    const { runs } = await runsOf([]);

    await expect(runs.start('three')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(() => runs.list('three')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    expect(() => runs.get('three')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });

  it('stops a run without a sync', async () => {
    const { runs, target } = await runsOf([
      hostStep,
      { id: 'hung', run: () => new Promise(() => undefined) },
    ]);
    const { run_id: runId } = await runs.start('one');

    await runs.stop();

    expect(runs.get(runId)).toMatchObject({ status: 'aborted', reason: 'the run was stopped' });
    expect(target.seen).toEqual([]);
    await expect(runs.start('one')).rejects.toThrow('the service is stopping');
  });

  it('runs only connectors with a schedule automatically', async () => {
    const world = new World();
    const runs = await world.open([hostStep], 'schedule: every:2h', ['one']);

    world.schedule(runs);
    await world.clock.turn(7_200_000);
    await world.clock.turn(7_200_000);
    await world.clock.sleeper(7_200_000);
    await runs.stop();

    expect(startsOf(runs)).toEqual(['1970-01-01T04:00:00.000Z', '1970-01-01T02:00:00.000Z']);
    expect(world.target.seen).toHaveLength(2);
  });

  it('runs when a cron expression fires, however far ahead that is', async () => {
    const world = new World();
    const runs = await world.open([hostStep], 'schedule: cron:30 1 1 3 *', ['one']);

    world.schedule(runs);
    for (const ms of [20 * DAY_MS, 20 * DAY_MS, 19 * DAY_MS + 5_400_000]) await world.clock.turn(ms);
    await world.clock.sleeper(20 * DAY_MS);
    await runs.stop();

    expect(startsOf(runs)).toEqual(['1970-03-01T01:30:00.000Z']);
  });

  it('leaves scheduled runs to the leading process', async () => {
    const world = new World();
    const runs = await world.open([hostStep], 'schedule: every:2h', ['one']);

    world.schedule(runs);
    await world.clock.sleeper(7_200_000);
    world.leadership.isLeader = false;
    await world.clock.turn(7_200_000);
    const { sleepers } = world.clock;
    world.elect();
    await world.clock.sleeper(7_200_000);
    await runs.stop();

    expect([sleepers, startsOf(runs)]).toEqual([0, ['1970-01-01T02:00:00.000Z']]);
  });

  it.each([
    { text: 'every:2h', firstMs: 7_200_000, secondMs: 7_200_000, madeUp: '05:00', nextMs: 3_600_000 },
    {
      text: 'cron:30 1,2,3 * * *',
      firstMs: 5_400_000,
      secondMs: 3_600_000,
      madeUp: '04:30',
      nextMs: 75_600_000,
    },
  ])('counts $text from the last tick after a restart, and runs missed ticks once', async (given) => {
    const { text, firstMs, secondMs, madeUp, nextMs } = given;
    const world = new World();
    const before = await world.open([hostStep], `schedule: ${text}`, ['one']);
    world.schedule(before);
    await world.clock.turn(firstMs);
    await world.clock.sleeper(secondMs);
    await before.stop();
    const passing = world.clock.sleep(3 * 3_600_000, new AbortController().signal);
    await world.clock.turn(3 * 3_600_000);
    await passing;
    const after = await world.open([hostStep], `schedule: ${text}`, ['one']);
    world.schedule(after);
    await world.clock.sleeper(nextMs);
    await after.stop();

    expect(startsOf(after)).toEqual([`1970-01-01T${madeUp}:00.000Z`, new Date(firstMs).toISOString()]);
  });

  it('runs nothing without a schedule', async () => {
    const world = new World();
    const runs = await world.open([hostStep]);

    world.schedule(runs);
    await runs.stop();

    expect([...runs.list('one'), ...runs.list('two')]).toEqual([]);
    expect(world.clock.sleepers).toBe(0);
  });

  describe('stores', () => {
    const ticking = () => new World(new TickingClock());
    const hung: Step = { id: 'hung', run: () => new Promise(() => undefined) };

    it('runs across a restart, newest first', async () => {
      const world = ticking();
      const runs = await world.open([hostStep]);
      const records = [await runOnce(runs), await runOnce(runs), await runOnce(runs, 'two')];

      const later = await world.open([]);

      expect(later.list('one')).toEqual([records[1], records[0]]);
      expect(later.latest('two')).toEqual(records[2]);
      expect(records.map(({ run_id: id }) => later.get(id))).toEqual(records);
    });

    it('a run whose process ended as interrupted, permanently', async () => {
      const world = ticking();
      const started = await (await world.open([hung])).start('one');

      const later = await world.open([hostStep]);
      const found = later.get(started.run_id);
      await runOnce(later);
      const last = await world.open([]);

      expect(found).toMatchObject({
        run_id: started.run_id,
        status: 'interrupted',
        started_at: started.started_at,
        ended_at: '1970-01-01T00:00:00.001Z',
        reason: 'the service ended before the run did',
      });
      expect(last.list('one').map(({ status }) => status)).toEqual(['complete', 'interrupted']);
      expect(last.get(started.run_id)).toEqual(found);
    });

    it('the sync of an interrupted run, if it became durable', async () => {
      const world = ticking();
      const { run_id: runId } = await (await world.open([hung])).start('one');
      world.target.last = { sync_id: runId, entities_created: 3 } as SyncCounts;

      const later = await world.open([]);

      expect(later.get(runId)).toMatchObject({
        status: 'interrupted',
        reason: 'the service ended right after the sync',
        sync: { entities_created: 3 },
      });
    });

    it('the last 50 of each connector', async () => {
      const world = ticking();
      const runs = await world.open([hostStep]);
      const other = await runOnce(runs, 'two');
      const ids: string[] = [];
      for (let count = 0; count < 52; count++) ids.push((await runOnce(runs)).run_id);

      const later = await world.open([]);

      for (const each of [runs, later]) {
        expect(each.list('one')).toHaveLength(50);
        expect(() => each.get(ids[1] ?? '')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
        expect(each.get(other.run_id)).toEqual(other);
      }
      expect(world.documents.values.size).toBe(51);
    });

    it('no run whose start cannot be stored, and allows it later', async () => {
      const world = ticking();
      const runs = await world.open([hostStep]);
      world.documents.isBroken = true;

      await expect(runs.start('one')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      world.documents.isBroken = false;

      expect(world.target.seen).toEqual([]);
      expect(await runOnce(runs)).toMatchObject({ status: 'complete' });
    });

    it('an end that cannot be stored for the lifetime of the process', async () => {
      const world = ticking();
      const gate = Promise.withResolvers<undefined>();
      const runs = await world.open([{ ...hostStep, run: () => gate.promise }]);
      const { run_id: runId } = await runs.start('one');
      world.documents.isBroken = true;
      gate.resolve(undefined);

      const ended = await runs.wait(runId);
      world.documents.isBroken = false;

      expect(ended).toMatchObject({ status: 'complete' });
      expect(runs.list('one')).toEqual([ended]);
      expect((await world.open([])).get(runId)).toMatchObject({ status: 'interrupted' });
    });
  });

  it('the next scheduled run after one that could not start', async () => {
    const world = new World();
    const runs = await world.open([hostStep], 'schedule: every:2h', ['one']);
    world.schedule(runs);
    world.documents.isBroken = true;
    await world.clock.turn(7_200_000);
    await world.clock.sleeper(7_200_000);
    world.documents.isBroken = false;
    await world.clock.turn(7_200_000);
    await world.clock.sleeper(7_200_000);
    await runs.stop();

    expect(startsOf(runs)).toEqual(['1970-01-01T04:00:00.000Z']);
  });
});

describe('ConnectorSchedules.configure', () => {
  const type = (steps: readonly Step[]) =>
    defineConnector({ name: 'test', about: 'a test', config: {}, steps: () => steps });
  const connector = (id: string, schedule: string, steps: readonly Step[] = [hostStep]) =>
    readConnector(`connector: test\nschedule: ${schedule}\n`, `${id}.yaml`, {
      types: [type(steps)],
      environment: {},
    });

  it('lets a running run end with the settings with which it began, and starts the next with the new ones', async () => {
    const world = new World();
    const gate = Promise.withResolvers<undefined>();
    const waiting: Step = {
      ...hostStep,
      run: async (context) => {
        await gate.promise;
        context.emitEntity(HOST);
      },
    };
    const runs = await world.open([waiting], '', ['one']);
    const begun = await runs.start('one');
    expect(() => runs.list('two')).toThrow('no such connector: expected one');

    runs.configure([connector('one', 'manual', [failingStep])]);
    gate.resolve(undefined);
    const old = await runs.wait(begun.run_id);
    const next = await runOnce(runs);
    runs.configure([]);

    expect([old.status, next.status]).toEqual(['complete', 'failed']);
    expect(() => runs.list('one')).toThrow('no such connector: there are none');
    expect(runs.get(old.run_id).status).toBe('complete');
  });

  it('follows changed, new and removed schedules', async () => {
    const world = new World();
    const runs = await world.open([hostStep], 'schedule: every:1h', ['one']);
    const schedules = world.schedule(runs);
    await world.clock.sleeper(HOUR_MS);

    schedules.configure([connector('one', 'every:2h'), connector('new', 'every:3h')]);
    await world.clock.sleeper(2 * HOUR_MS);
    await world.clock.sleeper(3 * HOUR_MS);
    expect(world.clock.sleepers).toBe(2);
    schedules.configure([connector('one', 'every:2h')]);

    expect(world.clock.sleepers).toBe(1);
    await runs.stop();
  });
});
