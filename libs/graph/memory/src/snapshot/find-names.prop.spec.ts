/** Compares the search by name with a reading of every name, over sealed, changed and deleted entities. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type EntityInput, entityId } from '#graph/model';
import { putEntity, STAMP, TEST_OPTIONS } from '#graph/testing';
import { completed } from '#platform/foundation';
import { effort } from '#testing';
import { MemoryGraph } from '../memory-graph.ts';

const PIECES = [
  'web',
  'WEB',
  'db-',
  '_',
  '.',
  '1',
  'ab',
  'é',
  'É',
  '日本',
  '😀',
  'İ',
  'ς',
  'Σ',
  '"',
  '\\',
  'a',
  'ΟΔΟΣ',
];
const arbitraryText = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(''));
const arbitraryStep = fc.record({
  at: fc.nat(40),
  kind: fc.constantFrom('put', 'put', 'put', 'delete', 'touch', 'seal'),
  displayName: arbitraryText,
  name: fc.option(fc.oneof(arbitraryText, fc.integer()), { nil: undefined }),
});
type Step = typeof arbitraryStep extends fc.Arbitrary<infer T> ? T : never;

const TYPES = ['host', 'user'];

function inputOf(keys: readonly string[], { at, displayName, name }: Step): EntityInput {
  const key = `${keys[at % keys.length] ?? ''}${at}`;
  const type = TYPES[at % TYPES.length] ?? '';
  return { type, class: 'Thing', key, displayName, properties: name === undefined ? {} : { name } };
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

/** Whether an entity is found, by the definition. */
function has({ key, displayName, properties }: EntityInput, text: string): boolean {
  const names = [key, displayName, properties['name']].filter((name) => typeof name === 'string').map(fold);
  const folded = fold(text);
  const isShort = Buffer.byteLength(folded) < 3;
  return names.some((name) => (isShort ? name.startsWith(folded) : name.includes(folded)));
}

async function play(
  keys: readonly string[],
  steps: readonly Step[],
): Promise<{ graph: MemoryGraph; live: Map<string, EntityInput> }> {
  const graph = MemoryGraph.create(TEST_OPTIONS);
  const live = new Map<string, EntityInput>();
  for (const [index, step] of steps.entries()) {
    const seq = index + 1;
    const input = inputOf(keys, step);
    const id = entityId(input.type, input.key);
    if (step.kind === 'put') {
      putEntity(graph, seq, input);
      live.set(id, input);
    } else if (step.kind === 'delete' && live.has(id)) {
      graph.deleteEntity(seq, graph.findEntity(id), STAMP);
      live.delete(id);
    } else if (step.kind === 'touch' && live.has(id)) {
      graph.touchEntity(seq, graph.findEntity(id), { stamp: STAMP, owners: ['other'] });
    }
    graph.publish(seq);
    if (step.kind === 'seal') await graph.seal();
  }
  return { graph, live };
}

describe('findNames', () => {
  it('finds exactly the entities with the text in a name, sealed or not', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryText, { minLength: 3, maxLength: 12 }),
        fc.array(arbitraryStep, { maxLength: 60 }),
        fc.array(arbitraryText, { minLength: 1, maxLength: 6 }),
        async (keys, steps, texts) => {
          const { graph, live } = await play(keys, steps);
          const snapshot = graph.snapshot();
          for (const text of texts) {
            const found: string[] = [];
            const visit = (node: number): boolean => found.push(snapshot.entity(node).id) > 0;
            const isComplete = completed(snapshot.findNames({ text, isWanted: () => true, visit }));
            const expected = [...live].filter(([, input]) => has(input, text)).map(([id]) => id);
            expect(isComplete).toBe(true);
            expect(found.sort()).toEqual(expected.sort());
          }
          await graph.close();
        },
      ),
      { numRuns: effort(100, 50) },
    ));

  it('finds names in every section of a base, rare ones and those that all have, the best first', async () => {
    const graph = MemoryGraph.create(TEST_OPTIONS);
    const count = 140_000;
    for (let at = 0; at < count; at++)
      putEntity(graph, 1, {
        type: 'host',
        class: 'Host',
        key: `node-${String(at).padStart(6, '0')}`,
        displayName: at === 20_000 ? 'Zebra' : `n${at}`,
        properties: {},
      });
    graph.publish(1);
    await graph.seal();
    const snapshot = graph.snapshot();
    const keysOf = (text: string): readonly [key: string, score: number][] => {
      const found: [string, number][] = [];
      const visit = (node: number, score: number): boolean =>
        found.push([snapshot.entity(node).key, score]) < 50;
      completed(snapshot.findNames({ text, isWanted: () => true, visit }));
      return found;
    };

    expect(keysOf('NODE-139999')).toEqual([['node-139999', 11]]);
    expect(
      keysOf('39999')
        .map(([key]) => key)
        .sort(),
    ).toEqual(['node-039999', 'node-139999']);
    expect(keysOf('n77')[0]).toEqual(['node-000077', 3]);
    expect(keysOf('zebra')).toEqual([['node-020000', 5]]);
    expect(keysOf('ebr').map(([key]) => key)).toEqual(['node-020000']);
    expect(keysOf('node-')).toHaveLength(50);
    await graph.close();
  });
});
