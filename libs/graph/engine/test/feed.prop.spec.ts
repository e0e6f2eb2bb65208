import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { effort } from '#testing';
import { type FeedToken, type Graph, parseFeedToken, recordsIn, type RecordChange } from '../src/index.ts';
import { GraphHarness } from './graph-harness.ts';
import { arbitraryStep, SMALL_LOGS, take } from './random-steps.ts';

const RUNS = effort(30, 6);
const STEPS_MAX = 16;
/** Of so many changes one is gone on from. */
const SAMPLED = 9;
const DAY_MS = 86_400_000;

interface NamedChange extends RecordChange {
  readonly id: string;
}

/** All changes after a token, read to the end in windows. */
async function changesAfter(
  { feed }: Graph,
  token: FeedToken,
  recordsMax?: number,
): Promise<readonly NamedChange[]> {
  const found: NamedChange[] = [];
  let place = await feed.placeAfter(token, 'from');
  while (feed.hasNews(place)) {
    const window = await feed.window(place, recordsMax);
    for (const change of window.changes()) found.push({ id: feed.idOf(change), ...change });
    // What a token says is where its reader goes on.
    place = await feed.placeAfter(parseFeedToken(feed.tokenOf(window.next), 'from'), 'from');
  }
  return found;
}

type Live = ReadonlyMap<string, object>;

/** Live records by id, without the time of sightings, which change nothing. */
async function liveAt(graph: Graph, seq: number): Promise<Live> {
  const { entities, relationships } = recordsIn(await graph.history.snapshot({ seq }));
  return new Map(
    [...entities, ...relationships].map((record) => [record.id, { ...record, last_seen_at: '' }]),
  );
}

function follow(live: Live, changes: readonly NamedChange[]): Live {
  const now = new Map(live);
  for (const { kind, before, after } of changes) {
    const [old, record] = [before, after].map((state) => state?.entity ?? state?.relationship);
    const known = now.get((record ?? old)?.id ?? '');
    // The record is what the changes before it have made of it.
    if (kind === 'created') expect(known).toBeUndefined();
    else expect(known).toEqual({ ...old, last_seen_at: '' });
    if (record !== undefined) now.set(record.id, { ...record, last_seen_at: '' });
    else now.delete(old?.id ?? '');
  }
  return now;
}

function numberOf({ seq, index }: NamedChange): number {
  return seq * 1e6 + index;
}

describe('the changes after a moment', () => {
  it('make its state that of the end, in order, over merges, restarts, power cuts and backups', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryStep, { maxLength: STEPS_MAX }), fc.nat(), async (steps, seed) => {
        const options = { imageRecordsMin: 0, historyMs: DAY_MS, storage: SMALL_LOGS };
        const harness = await GraphHarness.opened(seed, options);
        const moments = [harness.graph.durableVersion];
        for (const next of steps) {
          await take(harness, next);
          moments.push(harness.graph.durableVersion);
        }
        for (const reopen of [false, true]) {
          if (reopen) await harness.reopen();
          const { graph } = harness;
          const end = await liveAt(graph, graph.durableVersion);
          const all = await changesAfter(graph, { seq: moments[0] ?? 0 });
          expect(all.map(numberOf)).toEqual([...new Set(all.map(numberOf))].sort((a, b) => a - b));
          for (const seq of new Set(moments)) {
            const changes = await changesAfter(graph, { seq });
            expect(await changesAfter(graph, { seq }, 1)).toEqual(changes);
            expect(changes).toEqual(all.filter((change) => change.seq > seq));
            expect(follow(await liveAt(graph, seq), changes)).toEqual(end);
          }
          for (const [at, { id }] of [...all.entries()].filter((_, at) => at % SAMPLED === 0))
            expect(await changesAfter(graph, parseFeedToken(id, 'from'))).toHaveLength(all.length - at - 1);
        }
        await harness.close();
      }),
      { numRuns: RUNS },
    );
  });

  it('are read in the middle of a batch that has many parts', async () => {
    const harness = await GraphHarness.opened(1, { historyMs: DAY_MS });
    const write = (version: string): Promise<unknown> =>
      harness.graph.write({
        entities: Array.from({ length: 600 }, (_, key) => ({
          type: 'host',
          key: String(key),
          properties: { version, text: 'x'.repeat(500) },
        })),
        relationships: [],
      });
    for (const version of ['a', 'b', 'c']) await write(version);
    const { graph } = harness;

    const all = await changesAfter(graph, { seq: 0 });
    const inParts = await changesAfter(graph, { seq: 0 }, 1);

    expect(inParts).toEqual(all);
    expect(all.map(({ kind }) => kind)).toEqual(
      ['created', 'changed', 'changed'].flatMap((kind) => Array<string>(600).fill(kind)),
    );
    expect(all.at(-1)?.fields).toEqual([{ name: 'version', old: 'b', new: 'c' }]);
    for (const at of [0, 300, 599, 600, 900, 1_500, 1_799])
      expect(await changesAfter(graph, parseFeedToken(all[at]?.id ?? '', 'from'), 1)).toEqual(
        all.slice(at + 1),
      );
    await harness.close();
  });
});
