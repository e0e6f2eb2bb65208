import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { entityId } from '#graph/model';
import { recordsIn } from '../src/index.ts';
import { encodeHorizon, HORIZON_KEY, valuesKey } from '../src/record/history-record.ts';
import { GraphHarness } from './graph-harness.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);

let harness: GraphHarness;

beforeEach(async () => {
  harness = await GraphHarness.opened(1, { historyMs: 7 * DAY_MS });
});

afterEach(async () => {
  await harness.close();
});

async function write(state: string, key = 'web-01'): Promise<number> {
  harness.clock.turn(1_000);
  const entities = [{ type: 'host', key, properties: { state } }];
  await harness.graph.write({ entities, relationships: [] });
  return harness.graph.durableVersion;
}

async function stateAt(moment: { seq: number } | { atMs: number }): Promise<unknown> {
  const { entities } = recordsIn(await harness.graph.history.snapshot(moment));
  return entities.map(({ properties }) => properties['state']);
}

describe('history', () => {
  it('answers for each batch, and for each time between two of them', async () => {
    const first = await write('up');
    const second = await write('down');

    expect(await stateAt({ seq: first - 1 })).toEqual([]);
    expect(await stateAt({ seq: first })).toEqual(['up']);
    expect(await stateAt({ seq: second })).toEqual(['down']);
    expect(await stateAt({ atMs: START_MS + 1_000 })).toEqual(['up']);
    expect(await stateAt({ atMs: START_MS + 1_999 })).toEqual(['up']);
    expect(await stateAt({ atMs: START_MS + 2_000 })).toEqual(['down']);
  });

  it('gives a snapshot the number of the last batch at its time', async () => {
    const first = await write('up');
    await write('down');

    const snapshot = await harness.graph.history.snapshot({ atMs: START_MS + 1_500 });

    expect(snapshot.snapshotVersion).toBe(first);
  });

  it('finds an entity by its id as it was, and none that is newer', async () => {
    const first = await write('up');
    await write('up', 'web-02');

    const snapshot = await harness.graph.history.snapshot({ seq: first }, { includeDeleted: true });

    expect(snapshot.nodeById(entityId('host', 'web-01'))).toBeGreaterThanOrEqual(0);
    expect(snapshot.nodeById(entityId('host', 'web-02'))).toBe(-1);
  });

  it('reads what an earlier version has stored of a new record', async () => {
    const first = await write('up');
    const key = Buffer.from('Ehost\0web-01', 'latin1');
    const part = Buffer.alloc(16 + key.length);
    part[0] = 1;
    part.writeDoubleLE(harness.clock.nowMs(), 1);
    part.writeUInt16LE(key.length, 10);
    key.copy(part, 12);

    await harness.reopenWith((batch) => {
      batch.put(valuesKey(first, 0), part);
      batch.put(HORIZON_KEY, encodeHorizon({ first: 0, sinceMs: START_MS }));
    });

    expect(await stateAt({ seq: first - 1 })).toEqual([]);
    expect(await stateAt({ seq: first })).toEqual(['up']);
  });

  it('rejects the future', async () => {
    const last = await write('up');

    await expect(stateAt({ seq: last + 1 })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      details: { last },
    });
    await expect(stateAt({ atMs: harness.clock.nowMs() + 1 })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
  });

  it('rejects a time before the first batch', async () => {
    await write('up');
    const beyond = { code: 'BEYOND_HISTORY', details: { first: 0, since: '2026-01-01T00:00:00.000Z' } };

    await expect(stateAt({ atMs: START_MS - 1 })).rejects.toMatchObject(beyond);
  });

  it('is refused by a graph that keeps none', async () => {
    const last = await write('up');
    await harness.reopen({ historyMs: 0 });

    await expect(stateAt({ seq: last })).rejects.toMatchObject({ code: 'BEYOND_HISTORY' });
  });

  it('begins anew after a batch without history', async () => {
    const first = await write('up');
    await harness.reopen({ historyMs: 0 });
    const second = await write('down');
    await harness.reopen();
    await write('gone');

    await expect(stateAt({ seq: first })).rejects.toMatchObject({ details: { first: second } });
    expect(await stateAt({ seq: second })).toEqual(['down']);
    await harness.reopen();
    expect(await stateAt({ seq: second })).toEqual(['down']);
    await expect(stateAt({ seq: first })).rejects.toMatchObject({ code: 'BEYOND_HISTORY' });
  });

  it('is removed by a sweep once it is older than it is kept, and no younger part of it', async () => {
    await write('up');
    const kept = await write('down');
    harness.clock.turn(7 * DAY_MS);
    const last = await write('gone');

    expect(await harness.graph.history.sweep()).toBe(4);
    expect(await harness.graph.history.sweep()).toBe(0);
    await expect(stateAt({ seq: kept - 1 })).rejects.toMatchObject({ details: { first: kept } });
    expect(await stateAt({ seq: kept })).toEqual(['down']);
    expect(await stateAt({ seq: last })).toEqual(['gone']);
    await harness.reopen();
    await expect(stateAt({ seq: kept - 1 })).rejects.toMatchObject({ details: { first: kept } });
    expect(await stateAt({ seq: kept })).toEqual(['down']);
  });

  it('is removed by a process that ends within the hour', async () => {
    await write('up');
    const kept = await write('down');
    harness.clock.turn(7 * DAY_MS);
    await harness.reopen();

    await harness.reopen({ historyMs: 30 * DAY_MS });

    await expect(stateAt({ seq: kept - 1 })).rejects.toMatchObject({ details: { first: kept } });
    expect(await stateAt({ seq: kept })).toEqual(['down']);
  });

  it('is removed as a whole by a sweep after it was turned off', async () => {
    await write('up');
    await harness.reopen({ historyMs: 0 });

    expect(await harness.graph.history.sweep()).toBe(2);
    await harness.reopen();

    expect(harness.graph.history.horizon?.first).toBe(harness.graph.durableVersion);
  });

  it('keeps a moment while the graph is sealed and written on', async () => {
    const first = await write('up');
    const snapshot = await harness.graph.history.snapshot({ seq: first });
    await harness.reopen({ imageRecordsMin: 0 });
    await write('down');

    expect(recordsIn(snapshot).entities).toHaveLength(1);
    expect(await stateAt({ seq: first })).toEqual(['up']);
  });
});
