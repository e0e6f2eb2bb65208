import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ConnectorRuns,
  createConnectorRuns,
  defineConnector,
  readConnector,
  type RunRecord,
} from '#graph/connector';
import { Graph, recordsOf } from '#graph/engine';
import { NodeDisk } from '#platform/disk';
import type { Step, StepContext } from '../src/run/step.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const host = (key: string) => ({ type: 'host', key });
const user = (key: string) => ({ type: 'user', key });

/** What the source says to a step, and what the step has asked. */
interface Source {
  read: (context: StepContext<unknown>) => void | Promise<void>;
  readonly asked: (string | undefined)[];
  isOff: boolean;
  isBroken: boolean;
}

describe('an incremental step', () => {
  let directory: string;
  let graph: Graph;
  let runs: ConnectorRuns;
  let source: Source;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-incremental-'));
    source = { read: () => undefined, asked: [], isOff: false, isBroken: false };
    await open();
  });
  afterEach(async () => {
    await graph.close();
    await rm(directory, { recursive: true });
  });

  async function open(more = ''): Promise<void> {
    graph = await Graph.open({ directory, disk: new NodeDisk(), log: SILENT });
    const steps = (): readonly Step[] => [
      {
        id: 'machines',
        incremental: true,
        enabled: !source.isOff,
        emits: { entities: ['host', 'user'], relationships: ['OWNED_BY'] },
        run: (context) => {
          source.asked.push(context.cursor);
          return source.read(context);
        },
      },
      {
        id: 'sites',
        emits: { entities: ['site'] },
        run: (context) => {
          context.emitEntity({ type: 'site', key: 'hq', properties: { name: 'web-1' } });
          if (source.isBroken) throw new Error('no sites');
        },
      },
    ];
    const type = defineConnector({ name: 'own', about: 'a source', config: {}, steps });
    const text = `connector: own\nmappings: [{ verb: AT, from: host, to: site, on: from._key = to.name }]\n${more}`;
    const connector = readConnector(text, 'own.yaml', { types: [type], environment: {} });
    runs = await createConnectorRuns(graph, [connector], SILENT);
  }

  async function reopen(more = ''): Promise<void> {
    await graph.close();
    await open(more);
  }

  async function run(
    read: (context: StepContext<unknown>) => void | Promise<void>,
    force = false,
  ): Promise<RunRecord> {
    source.read = read;
    const { run_id: runId } = await runs.start('own', { force });
    return runs.wait(runId);
  }

  /** The keys of live entities, and the relationships between them. */
  function contents(): readonly string[] {
    const { entities, relationships } = recordsOf(graph);
    const keys = entities.filter(({ deleted_at: at }) => at === null).map(({ key }) => key);
    const live = relationships.filter(({ deleted_at: at }) => at === null);
    return [...keys, ...live.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`)].sort();
  }

  const first = (context: StepContext<unknown>): void => {
    for (const key of ['web-1', 'web-2', 'web-3']) context.emitEntity(host(key));
    context.emitEntity(user('ann'));
    context.emitEntity(user('bob'));
    context.emitRelationship({ from: host('web-1'), verb: 'OWNED_BY', to: user('ann') });
    context.emitRelationship({ from: host('web-2'), verb: 'OWNED_BY', to: user('ann') });
    context.keepCursor('41');
  };

  it('keeps what it does not emit, drops what it removes, and replaces what it emits with its relationships', async () => {
    await run(first);
    await reopen();
    const second = await run((context) => {
      context.emitEntity(host('web-1'));
      context.emitEntity(user('bob'));
      context.emitRelationship({ from: host('web-1'), verb: 'OWNED_BY', to: user('bob') });
      context.removed(host('web-3'));
      context.keepCursor('42');
    });
    await run((context) => context.removed(host('web-1')));
    await run(() => undefined);

    expect(source.asked).toEqual([undefined, '41', '42', '42']);
    expect(second).toMatchObject({ status: 'complete', sync: { entities_deleted: 1 } });
    expect(contents()).toEqual(['ann', 'bob', 'hq', 'web-2', 'web-2 OWNED_BY ann']);
  });

  it('maps what it keeps', async () => {
    await run(first);
    await run(() => undefined);

    expect(contents()).toContain('web-1 AT hq');
  });

  it('goes on from the same place after a run that is not complete', async () => {
    await run(first);
    source.isBroken = true;
    const partial = await run((context) => context.keepCursor('42'));
    source.isBroken = false;
    const failed = await run((context) => {
      context.keepCursor('43');
      throw new Error('the service is gone');
    });
    await run(() => undefined);

    expect([partial.status, failed.status]).toEqual(['partial', 'partial']);
    expect(source.asked).toEqual([undefined, '41', '41', '41']);
    expect(contents()).toContain('web-3');
  });

  it.each<[string, (context: StepContext<unknown>) => void]>([
    ['when the source does not accept the cursor', (context) => context.startOver()],
    ['with force', () => undefined],
    ['after its configuration has changed', () => undefined],
  ])('reads everything %s, and what is absent then goes', async (what, begin) => {
    await run(first);
    if (what.startsWith('after')) await reopen('config: { allow_empty: true }');
    await run((context) => {
      begin(context);
      context.emitEntity(host('web-2'));
      context.keepCursor('50');
    }, what === 'with force');
    await run(() => undefined);

    expect(contents()).toEqual(['hq', 'web-2']);
    expect(source.asked.at(-1)).toBe('50');
  });

  it('reads everything after it was switched off: what it had read is gone', async () => {
    await run(first);
    source.isOff = true;
    await run(() => undefined);
    source.isOff = false;
    await run(first);

    expect(source.asked).toEqual([undefined, undefined]);
    expect(contents()).toContain('web-3');
  });

  it('is refused without the types that it emits', async () => {
    const steps = (): readonly Step[] => [{ id: 'any', incremental: true, run: () => undefined }];
    const type = defineConnector({ name: 'own', about: 'a source', config: {}, steps });

    expect(() => readConnector('connector: own\n', 'own.yaml', { types: [type], environment: {} })).toThrow(
      'step any is incremental: expected the types and verbs that it emits, by name',
    );
  });

  it('fails for a cursor that is no text, and a step that is not incremental for any', async () => {
    const wrong = await run((context) => context.keepCursor('x'.repeat(10_001)));

    expect(wrong.steps[0]).toMatchObject({
      status: 'failed',
      reason: 'keepCursor: expected a text of 1 to 10000 characters, got 10001',
    });
  });

  it('says how far it is, and ends when it is stopped', async () => {
    const began = Promise.withResolvers<undefined>();
    source.read = async (context) => {
      context.progress({ done: 1, total: 4 });
      began.resolve(undefined);
      await context.sleep(600_000);
    };
    const { run_id: runId } = await runs.start('own');
    await began.promise;
    const during = runs.get(runId);
    const after = await runs.cancel(runId);

    expect(during.steps[0]).toMatchObject({ done: 1, total: 4, remaining_ms: expect.any(Number) });
    expect(after).toMatchObject({ status: 'aborted', reason: 'the run was stopped' });
    expect(await runs.cancel(runId)).toEqual(after);
    expect(contents()).toEqual([]);
    await expect(runs.cancel('other')).rejects.toThrow('no such run');
  });
});
