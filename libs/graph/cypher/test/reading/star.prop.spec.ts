/** Stars that are only counted: the numbers of links at nodes against the rows of the pattern. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LAW_RUNS } from '../law-runs.ts';
import { MemoryStore } from '../memory-store.ts';

const NODES = 8;
const PATTERNS = 10;

const label = fc.constantFrom('', ':A', ':B', ':C', ':B|C');
const links = fc.array(
  fc.record({ from: fc.nat(NODES - 1), type: fc.constantFrom('X', 'Y', 'Z'), to: fc.nat(NODES - 1) }),
  { minLength: 4, maxLength: 24 },
);
const ray = fc
  .tuple(fc.constantFrom('', ':X', ':Y', ':Z', ':X|Y'), fc.constantFrom('out', 'in', 'any'), label)
  .map(([type, direction, end]) => {
    const [left, right] = [direction === 'in' ? '<-' : '-', direction === 'out' ? '->' : '-'];
    return `${left}[${type}]${right}(${end})`;
  });
const pattern = fc
  .record({
    center: label,
    least: fc.option(fc.nat(NODES), { nil: undefined }),
    rays: fc.array(ray, { minLength: 1, maxLength: 3 }),
    optional: fc.array(ray, { maxLength: 2 }),
  })
  .map(({ center, least, rays, optional }) =>
    [
      `MATCH ${rays.map((each, at) => `(c${at === 0 ? center : ''})${each}`).join(', ')}`,
      ...(least === undefined ? [] : [`WHERE c.i >= ${String(least)}`]),
      ...optional.map((each) => `OPTIONAL MATCH (c)${each}`),
    ].join(' '),
  );

let store: MemoryStore;

beforeAll(async () => {
  store = await MemoryStore.open();
});
afterAll(() => store.close());

const run = (text: string): Promise<unknown> => store.value(text);

interface Link {
  readonly from: number;
  readonly type: string;
  readonly to: number;
}

function creation(all: readonly Link[]): string {
  const made = ['A', 'A', 'A', 'B', 'B', 'C:A', 'C', 'C'].map(
    (labels, i) => `(n${String(i)}:${labels} {i: ${String(i)}})`,
  );
  return `CREATE ${[...made, ...all.map(({ from, type, to }) => `(n${String(from)})-[:${type}]->(n${String(to)})`)].join(', ')}`;
}

it('have as many rows counted as enumerated, sealed, and after changes of links alone', async () => {
  await fc.assert(
    fc.asyncProperty(
      links,
      links,
      fc.array(pattern, { minLength: PATTERNS, maxLength: PATTERNS }),
      async (first, later, patterns) => {
        const expectEqual = async (): Promise<void> => {
          for (const each of patterns)
            expect([each, await run(`${each} RETURN count(*)`)]).toEqual([
              each,
              await run(`${each} WITH c RETURN count(*)`),
            ]);
        };
        await run('MATCH (n) DETACH DELETE n');
        await run(creation(first));
        await store.reopen();
        await expectEqual();
        const added = later.map(
          ({ from, type, to }, at) =>
            `MATCH (a${String(at)} {i: ${String(from)}}), (b${String(at)} {i: ${String(to)}}) CREATE (a${String(at)})-[:${type}]->(b${String(at)})`,
        );
        for (const text of added.slice(0, 2)) await run(text);
        await run('MATCH ({i: 1})-[r:X]->() DELETE r');
        await expectEqual();
      },
    ),
    { ...LAW_RUNS, numRuns: Math.ceil(LAW_RUNS.numRuns / PATTERNS) },
  );
});
