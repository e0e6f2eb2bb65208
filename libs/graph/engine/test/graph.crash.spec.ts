import { describe, expect, it } from '@jest/globals';
import type { EntityStatement } from '#graph/model';
import { CrashDisk, effort } from '#testing';
import { GraphHarness, StandingClock } from './graph-harness.ts';

const SEEDS = effort([1, 2, 3], [1]);
/** Crashes at every disk call, or only at some of them. */
const STRIDE = effort(1, 5);
const ROUNDS = 6;
/** Number of entities in a round; a request writes them and a relationship between the first two. */
const PER_ROUND = 3;

/** Runs rounds until the power cut; returns the number of acknowledged rounds. */
async function runUntilCrash(harness: GraphHarness): Promise<number> {
  let acknowledged = 0;
  try {
    await harness.open({ imageRecordsMin: 1 });
    for (; acknowledged < ROUNDS; acknowledged++) {
      await harness.graph.sync(round(acknowledged + 1), {});
      if (acknowledged % 2 === 1) await harness.reopen({ imageRecordsMin: 1 });
    }
    await harness.close();
  } catch {
    await harness.close().catch(() => undefined);
  }
  return acknowledged;
}

/** Round n reports the records of rounds n and n − 1: it creates, touches and drops records in one batch. */
function round(number: number) {
  const entities = [...members(number - 1), ...members(number)];
  const [from, to] = members(number);
  const relationships = from && to ? [{ from, verb: 'HAS', to, properties: {} }] : [];
  return { connectorId: 'scan', syncId: String(number), entities, relationships };
}

function members(number: number): EntityStatement[] {
  return Array.from({ length: PER_ROUND }, (_, index) => ({
    type: 'host',
    key: `${String(number)}-${String(index)}`,
    properties: {},
  }));
}

function liveKeys(harness: GraphHarness): string[] {
  const { entities, relationships } = harness.records();
  const live = [...entities, ...relationships].filter((record) => record.deleted_at === null);
  return live.map((record) => ('verb' in record ? record.from.key : record.key)).sort();
}

function expectedKeys(number: number): string[] {
  if (number === 0) return [];
  const { entities, relationships } = round(number);
  return [...entities.map(({ key }) => key), ...relationships.map(({ from }) => from.key)].sort();
}

describe('a power cut at any disk call', () => {
  it.each(SEEDS)(
    'keeps every acknowledged sync, and no partial one (seed %i)',
    async (seed) => {
      for (let call = 1, isDown = true; isDown; call += STRIDE) {
        const harness = new GraphHarness(new CrashDisk(seed * 1_000 + call), new StandingClock());
        harness.disk.plan({ crashAt: call });
        const acknowledged = await runUntilCrash(harness);
        isDown = harness.disk.isDown;
        if (isDown) harness.disk = harness.disk.restart();
        else harness.disk.plan({});
        await harness.open();

        const found = liveKeys(harness);

        expect([expectedKeys(acknowledged), expectedKeys(acknowledged + 1)]).toContainEqual(found);
        await harness.close();
      }
    },
    120_000,
  );

  it.each(SEEDS)(
    'leaves what a sync in parts had found, with some of the new, until the sync is repeated (seed %i)',
    async (seed) => {
      for (let call = 1, isDown = true; isDown; call += STRIDE) {
        const harness = new GraphHarness(new CrashDisk(seed * 1_000 + call), new StandingClock());
        await harness.open();
        await harness.graph.sync(round(1));
        harness.disk.plan({ crashAt: call });
        await harness.graph.syncInParts(inParts(2)).catch(() => undefined);
        await harness.close().catch(() => undefined);
        isDown = harness.disk.isDown;
        if (isDown) harness.disk = harness.disk.restart();
        else harness.disk.plan({});
        await harness.open();

        const found = new Set(liveKeys(harness));
        const isWithout = (keys: readonly string[]): boolean => keys.some((key) => !found.has(key));
        expect(isWithout(expectedKeys(1)) && isWithout(expectedKeys(2))).toBe(false);

        await harness.graph.syncInParts(inParts(2));
        expect(liveKeys(harness)).toEqual(expectedKeys(2));
        await harness.close();
      }
    },
    120_000,
  );
});

function inParts(number: number) {
  const { entities, relationships, ...scope } = round(number);
  const parts = [
    ...entities.map((each) => ({ entities: [each], relationships: [] })),
    { entities: [], relationships },
  ];
  return { ...scope, force: true, parts: () => parts };
}
