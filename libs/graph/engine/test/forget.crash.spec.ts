import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { entityId } from '#graph/model';
import { CrashDisk, effort, textsIn } from '#testing';
import { recordsIn } from '../src/index.ts';
import { GraphHarness, StandingClock } from './graph-harness.ts';

const DAY_MS = 86_400_000;
const DIRECTORY = '/data';
const OPTIONS = { historyMs: 7 * DAY_MS, imageRecordsMin: 1 };
/** Each batch begins another log file, and the last one becomes a segment. */
const SEGMENTED = { storage: { walFileBytes: 1 } };
/** Crashes at every disk call, or only at some of them. */
const STRIDE = effort(1, 7);
/** In its key, its properties, its former ones, and those of its relationships. */
const MARKERS = ['Wq7zKey4', 'Wq7zNow4', 'Wq7zOld4', 'Wq7zEdge', 'Wq7zGone'];
const ANN = { type: 'person', key: 'Wq7zKey4' };
const WEB = { type: 'host', key: 'web-01' };
const DB = { type: 'host', key: 'db-01' };
const ID = entityId(ANN.type, ANN.key);

async function filesWithMarkers(disk: CrashDisk): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await disk.list(DIRECTORY)) {
    const texts = textsIn(await disk.readBytes(join(DIRECTORY, name)));
    for (const marker of MARKERS)
      if (texts.some((text) => text.includes(marker))) found.push(`${name}: ${marker}`);
  }
  return found;
}

async function write(harness: GraphHarness, note: string, relationships: object[] = []): Promise<number> {
  harness.clock.turn(1_000);
  const entities = [
    { ...ANN, properties: { note } },
    { ...WEB, properties: { note: `host ${note.length > 8 ? 'b' : 'a'}` } },
    { ...DB, properties: {} },
  ];
  await harness.graph.write({ entities, relationships: relationships as never });
  return harness.graph.durableVersion;
}

/** An entity with a past, in segments, an image and the log; returns the number of its first batch. */
async function filled(harness: GraphHarness): Promise<number> {
  await harness.open(OPTIONS);
  const edge = { from: ANN, verb: 'OWNS', to: WEB, properties: { note: 'Wq7zEdge' } };
  const other = { from: WEB, verb: 'USES', to: DB, properties: { port: 5432 } };
  const first = await write(harness, 'Wq7zOld4', [edge, other]);
  await harness.graph.write({
    entities: [],
    relationships: [{ from: DB, verb: 'KNOWS', to: ANN, properties: { note: 'Wq7zGone' } }],
  });
  harness.options = SEGMENTED;
  await harness.reopen(OPTIONS);
  harness.options = {};
  await write(harness, 'Wq7zNow4 and more');
  const gone = { from: DB, verb: 'KNOWS', to: ANN };
  const remove = { entities: [], relationships: [gone] };
  await harness.graph.write({ entities: [], relationships: [], delete: remove });
  await harness.reopen(OPTIONS);
  await write(harness, 'Wq7zNow4');
  return first;
}

/** The graph without the entity, as of a batch. */
async function restOf(harness: GraphHarness, seq: number): Promise<object> {
  const snapshot = await harness.graph.history.snapshot({ seq }, { includeDeleted: true });
  const { entities, relationships } = recordsIn(snapshot);
  snapshot.release();
  return {
    entities: entities.filter(({ id }) => id !== ID),
    relationships: relationships.filter(({ from, to }) => from.id !== ID && to.id !== ID),
  };
}

async function allOf(harness: GraphHarness, seq: number): Promise<object> {
  const snapshot = await harness.graph.history.snapshot({ seq }, { includeDeleted: true });
  const { entities, relationships } = recordsIn(snapshot);
  snapshot.release();
  return { entities, relationships };
}

async function moments(harness: GraphHarness, upTo: number, of: typeof allOf): Promise<readonly object[]> {
  const found: object[] = [];
  for (let seq = 1; seq <= upTo; seq++) found.push(await of(harness, seq));
  return found;
}

describe('an entity that is forgotten', () => {
  it('leaves no byte in any file, and all other records as they are and were', async () => {
    const harness = new GraphHarness(new CrashDisk(1), new StandingClock());
    await filled(harness);
    const last = harness.graph.durableVersion;
    const before = await moments(harness, last, restOf);
    const holding = (await filesWithMarkers(harness.disk)).join();
    for (const kind of ['wal-', 'image-', 'segment-']) expect(holding).toContain(kind);

    const reply = await harness.graph.forgetting.forget(ID);

    expect(reply).toMatchObject({ id: ID, entities_deleted: 1, relationships_deleted: 1, files_left: [] });
    expect(reply.history_records).toBeGreaterThan(0);
    expect(await filesWithMarkers(harness.disk)).toEqual([]);
    expect(await moments(harness, last, allOf)).toEqual(before);
    await harness.reopen(OPTIONS);
    expect(await filesWithMarkers(harness.disk)).toEqual([]);
    expect(await moments(harness, last, allOf)).toEqual(before);
    await harness.close();
  });

  it('goes, too, if it was deleted before, and beyond the retention', async () => {
    for (const passed of [0, 40 * DAY_MS]) {
      const harness = new GraphHarness(new CrashDisk(1), new StandingClock());
      await filled(harness);
      await harness.graph.deleteEntity(ID);
      harness.clock.turn(passed);
      await harness.reopen(OPTIONS);

      await harness.graph.forgetting.forget(ID);

      expect(await filesWithMarkers(harness.disk)).toEqual([]);
      await harness.close();
    }
  });

  it('stays if a source states it again meanwhile', async () => {
    const harness = new GraphHarness(new CrashDisk(1), new StandingClock());
    await filled(harness);
    await harness.graph.deleteEntity(ID);
    harness.clock.turn(40 * DAY_MS);
    await harness.reopen(OPTIONS);

    const forgotten = harness.graph.forgetting.forget(ID);
    for (let note = 0; note < 20; note++) await write(harness, `again ${String(note)}`);
    await forgotten;
    await write(harness, 'again');
    const before = harness.graph.entity(ID);
    await harness.reopen(OPTIONS);

    expect(harness.graph.entity(ID)).toEqual(before);
    await harness.close();
  });

  it('goes at the next open if the graph is closed meanwhile', async () => {
    const harness = new GraphHarness(new CrashDisk(1), new StandingClock());
    await filled(harness);

    const forgotten = harness.graph.forgetting.forget(ID).catch(() => undefined);
    while (harness.graph.liveRecords?.entities !== 2) await new Promise(setImmediate);
    await harness.close();
    await forgotten;
    await harness.open(OPTIONS);
    await harness.graph.forgetting.settled();

    expect(harness.graph.liveRecords).toMatchObject({ entities: 2 });
    expect(await filesWithMarkers(harness.disk)).toEqual([]);
    await harness.close();
  });

  it('is answered again, and one that was never known is not found', async () => {
    const harness = new GraphHarness(new CrashDisk(1), new StandingClock());
    await filled(harness);
    const first = await harness.graph.forgetting.forget(ID);

    const again = await harness.graph.forgetting.forget(ID);

    expect(again).toMatchObject({ id: ID, forgotten_at: first.forgotten_at, entities_deleted: 0 });
    const unknown = entityId('person', 'unknown');
    await expect(harness.graph.forgetting.forget(unknown)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(() => harness.graph.forgetting.forget('x')).toThrow('id: expected 32 lower-case hex digits');
    await harness.close();
  });

  it('is in files that a running backup reads: named, and named no more by a call after it', async () => {
    const harness = new GraphHarness(new CrashDisk(1), new StandingClock());
    await filled(harness);
    const backup = harness.graph.backupStream();
    await backup.next();

    const during = await harness.graph.forgetting.forget(ID);
    await backup.return(undefined);
    const after = await harness.graph.forgetting.forget(ID);

    expect(during.files_left.length).toBeGreaterThan(0);
    expect(after).toMatchObject({ forgotten_at: during.forgotten_at, files_left: [] });
    expect(await filesWithMarkers(harness.disk)).toEqual([]);
    await harness.close();
  });

  it('is a new entity if a source states it again', async () => {
    const harness = new GraphHarness(new CrashDisk(1), new StandingClock());
    await filled(harness);
    await harness.graph.forgetting.forget(ID);

    await write(harness, 'Wq7zNew');

    expect(harness.graph.entity(ID)).toMatchObject({ version: 1, properties: { note: 'Wq7zNew' } });
    await harness.close();
  });

  it('goes whole or not at all if the power fails at any disk call', async () => {
    for (let call = 1, isDown = true; isDown; call += STRIDE) {
      const harness = new GraphHarness(new CrashDisk(call), new StandingClock());
      await filled(harness);
      const last = harness.graph.durableVersion;
      const before = await moments(harness, last, restOf);
      harness.disk.plan({ crashAt: call });
      const reply = await harness.graph.forgetting.forget(ID).catch(() => undefined);
      await harness.close().catch(() => undefined);
      isDown = harness.disk.isDown;
      if (isDown) harness.disk = harness.disk.restart();
      else harness.disk.plan({});
      await harness.open(OPTIONS);
      await harness.graph.forgetting.settled();

      const isGone = harness.graph.liveRecords?.entities === 2;

      expect(isGone || reply === undefined).toBe(true);
      if (isGone) expect(await filesWithMarkers(harness.disk)).toEqual([]);
      expect(await moments(harness, last, restOf)).toEqual(before);
      await harness.close();
    }
  }, 120_000);
});
