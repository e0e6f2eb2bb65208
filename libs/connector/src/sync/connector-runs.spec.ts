import { describe, expect, it } from '@jest/globals';
import { TurnedClock } from '../../test/turned-clock.ts';
import { defineConnector } from '../config/connector-type.ts';
import { readConnector } from '../config/read-connector.ts';
import { GraphEntities, type KnownEntity } from '../mapping/graph-entities.port.ts';
import type { Step } from '../step/step.ts';
import { ConnectorRuns } from './connector-runs.ts';
import { type SyncContent, type SyncCounts, SyncTarget } from './sync-target.port.ts';

const SILENT = { info: () => undefined, warn: () => undefined };
const HOST = { type: 'host', key: 'a' };

class EmptyGraph extends GraphEntities {
  override ofType(): readonly KnownEntity[] {
    return [];
  }
}

class RememberingTarget extends SyncTarget {
  readonly seen: SyncContent[] = [];
  refusal: Error | undefined;

  override async sync(content: SyncContent): Promise<SyncCounts> {
    if (this.refusal !== undefined) throw this.refusal;
    this.seen.push({
      ...content,
      entities: [...content.entities],
      relationships: [...content.relationships],
    });
    return { sync_id: content.syncId } as SyncCounts;
  }
}

function runsOf(steps: readonly Step[], more = '', clock = new TurnedClock()) {
  const type = defineConnector({ name: 'test', about: 'a test', config: {}, steps: () => steps });
  const read = (id: string) =>
    readConnector(`connector: test\n${more}`, `${id}.yaml`, { types: [type], environment: {} });
  const target = new RememberingTarget();
  const connectors = [read('one'), read('two')];
  const runs = new ConnectorRuns({ connectors, target, graph: new EmptyGraph(), log: SILENT, clock });
  return { runs, target };
}

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

describe('ConnectorRuns', () => {
  it('syncs what the steps emitted under the id of the run, with what was partial', async () => {
    const { runs, target } = runsOf([hostStep, failingStep]);

    const started = runs.start('one');
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

  it('syncs nothing when no step succeeded', async () => {
    const { runs, target } = runsOf([failingStep]);

    const ended = await runs.wait(runs.start('one').run_id);

    expect(ended).toMatchObject({ status: 'failed', reason: 'users: expired password' });
    expect(target.seen).toEqual([]);
  });

  it('reports a sync that was refused', async () => {
    const { runs, target } = runsOf([hostStep]);
    target.refusal = new Error('the sync would delete too much');

    const ended = await runs.wait(runs.start('one').run_id);

    expect(ended).toMatchObject({ status: 'failed', reason: 'the sync would delete too much', entities: 1 });
  });

  it('refuses a second run of a connector while the first goes on, and runs another', async () => {
    const gate = Promise.withResolvers<undefined>();
    const { runs } = runsOf([{ ...hostStep, run: () => gate.promise }]);

    const first = runs.start('one');
    const other = runs.start('two');

    expect(() => runs.start('one')).toThrow(
      expect.objectContaining({ code: 'CONFLICT', details: { run_id: first.run_id } }),
    );
    gate.resolve(undefined);
    await Promise.all([runs.wait(first.run_id), runs.wait(other.run_id)]);
    expect(runs.start('one').run_id).not.toBe(first.run_id);
  });

  it('knows no other connectors and runs', () => {
    const { runs } = runsOf([]);

    expect(() => runs.start('three')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    expect(() => runs.get('three')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });

  it('stops what runs, and syncs nothing of it', async () => {
    const { runs, target } = runsOf([hostStep, { id: 'hung', run: () => new Promise(() => undefined) }]);
    const { run_id: runId } = runs.start('one');

    await runs.stop();

    expect(runs.get(runId)).toMatchObject({ status: 'aborted', reason: 'the run was stopped' });
    expect(target.seen).toEqual([]);
    expect(() => runs.start('one')).toThrow('the service is stopping');
  });

  it('runs by itself what has a schedule, and nothing else', async () => {
    const clock = new TurnedClock();
    const { runs, target } = runsOf([hostStep], 'schedule: every:2h', clock);

    runs.startSchedules();
    await clock.turn(7_200_000);
    await clock.turn(7_200_000);
    await runs.stop();

    expect(target.seen.map(({ connectorId }) => connectorId).slice(0, 2)).toEqual(['one', 'two']);
    expect(runs.latest('one')?.started_at).toBe('1970-01-01T04:00:00.000Z');
  });
});
