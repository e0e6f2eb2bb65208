import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { entityId } from '#graph/model';
import { actingAs } from '#platform/audit';
import type { Difference, DiffPage } from '../src/index.ts';
import { GraphHarness } from './graph-harness.ts';

const DAY_MS = 86_400_000;
const BATCHES = 30;

let harness: GraphHarness;
let turns: number;

beforeEach(async () => {
  harness = await GraphHarness.opened(1, { historyMs: 7 * DAY_MS });
  turns = 0;
  for (let at = 0; at < BATCHES; at++) await write(keyOf(at), 'up');
});

afterEach(async () => {
  await harness.close();
});

function keyOf(at: number): string {
  return `web-${String(at).padStart(2, '0')}`;
}

async function write(key: string, state: string): Promise<void> {
  await harness.graph.write({ entities: [{ type: 'host', key, properties: { state } }], relationships: [] });
}

/** One change a page. */
function page(after?: string, name?: string): Promise<DiffPage> {
  const pause = (): Promise<void> => {
    turns++;
    return Promise.resolve();
  };
  return harness.graph.diff.page({ from: 0, to: BATCHES, limit: 1, after, name, pause });
}

async function pages(name?: string): Promise<readonly DiffPage[]> {
  const all = [await page(undefined, name)];
  for (let after = all[0]?.next; after !== undefined; after = all.at(-1)?.next)
    all.push(await page(after, name));
  return all;
}

function keysOf(changes: readonly Difference[]): readonly string[] {
  return changes.map((change) => (change.record === 'entity' ? change.key : ''));
}

describe('a difference in many pages', () => {
  it('reads the history for the first page, and once for all others', async () => {
    const all = await pages();

    expect(all.flatMap(({ changes }) => keysOf(changes))).toEqual(
      Array.from({ length: BATCHES }, (_, at) => keyOf(at)),
    );
    expect(turns).toBeLessThanOrEqual(2 * BATCHES);
  });

  it('reads it once for those of a type', async () => {
    const all = await pages('host');

    expect(all.flatMap(({ changes }) => keysOf(changes))).toHaveLength(BATCHES);
    expect(turns).toBeLessThanOrEqual(BATCHES);
  });

  it('gives a page again, also after a restart, and whatever has changed since', async () => {
    const all = await pages();
    await write(keyOf(7), 'down');

    expect(await page(all[6]?.next)).toEqual(all[7]);
    await harness.reopen();
    expect(await page(all[6]?.next)).toEqual(all[7]);
  });

  it('says whose each change was, near ones and far ones', async () => {
    const alice = { who: 'alice', isNamed: true, from: '::1', what: 'POST /v1/ingest' };
    const written = ['first', 'second', 'far'];
    await actingAs(alice, () => write('first', 'up'));
    await write('nameless', 'up');
    await actingAs({ ...alice, who: 'bob' }, () => write('second', 'up'));
    for (let at = 0; at < 100; at++) await write('busy', String(at));
    await actingAs({ ...alice, who: 'carol' }, () => write('far', 'up'));

    const to = harness.graph.durableVersion;
    const { changes } = await harness.graph.diff.page({
      from: BATCHES,
      to,
      limit: 10,
      pause: () => Promise.resolve(),
    });

    const whose = new Map(keysOf(changes).map((key, at) => [key, changes[at]?.who]));
    expect(written.map((key) => whose.get(key))).toEqual(['alice', 'bob', 'carol']);
    expect([whose.get('nameless'), whose.get('busy')]).toEqual([undefined, undefined]);
  });

  it('has nothing of an entity that was forgotten meanwhile', async () => {
    const [first, second] = [await page(), await page((await page()).next)];
    expect([...keysOf(first.changes), ...keysOf(second.changes)]).toEqual([keyOf(0), keyOf(1)]);

    await harness.graph.forgetting.forget(entityId('host', keyOf(2)));

    expect(keysOf((await page(second.next)).changes)).toEqual([keyOf(3)]);
  });
});
