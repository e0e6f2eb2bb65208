/** Different ends of a pattern that are not its beginning: counted as a set against told path by path. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LAW_RUNS } from '../law-runs.ts';
import { MemoryStore } from '../memory-store.ts';

const NODES = 7;
const PATTERNS = 10;

const links = fc.array(fc.tuple(fc.nat(NODES - 1), fc.constantFrom('X', 'Y'), fc.nat(NODES - 1)), {
  minLength: 4,
  maxLength: 14,
});
const step = fc
  .tuple(
    fc.constantFrom('', ':X'),
    fc.constantFrom('', '*0..1', '*1..2', '*1..3'),
    fc.constantFrom('>', '<', '-'),
  )
  .map(([type, range, direction]) => {
    const [left, right] = [direction === '<' ? '<-' : '-', direction === '>' ? '->' : '-'];
    return `${left}[${type}${range}]${right}`;
  });
/** Two nodes have the name `twin`, one each of the others, and none `nobody`. */
const pattern = fc
  .record({
    name: fc.constantFrom('n0', 'n3', 'twin', 'nobody'),
    steps: fc.array(step, { minLength: 1, maxLength: 2 }),
    label: fc.constantFrom('', ':A'),
    condition: fc.constantFrom('b <> a', 'a <> b'),
    isReversed: fc.boolean(),
  })
  .map(({ name, steps, label, condition, isReversed }) => {
    const [start, end] = [`(a {name: '${name}'})`, `(b${label})`];
    const [left, right] = isReversed ? [end, start] : [start, end];
    return `MATCH ${left}${steps.join('()')}${right} WHERE ${condition}`;
  });

let store: MemoryStore;

beforeAll(async () => {
  store = await MemoryStore.open();
});
afterAll(() => store.close());

const run = (text: string): Promise<unknown> => store.value(text);

it('are those that paths lead to, by number and by their least one', async () => {
  await fc.assert(
    fc.asyncProperty(
      links,
      fc.array(pattern, { minLength: PATTERNS, maxLength: PATTERNS }),
      async (all, patterns) => {
        const nodes = Array.from({ length: NODES }, (_, i) => {
          const name = i > 4 ? 'twin' : `n${String(i)}`;
          return `(n${String(i)}${i % 2 === 0 ? ':A' : ':B'} {i: ${String(i)}, name: '${name}'})`;
        });
        const made = all.map(([from, type, to]) => `(n${String(from)})-[:${type}]->(n${String(to)})`);
        await run('MATCH (n) DETACH DELETE n');
        await run(`CREATE ${[...nodes, ...made].join(', ')}`);
        await store.reopen();

        for (const each of patterns)
          for (const [counted, told] of [
            ['count(DISTINCT b)', 'size(collect(DISTINCT b))'],
            [
              'min(b.i)',
              'reduce(least = null, i IN collect(b.i) | CASE WHEN i < coalesce(least, 9) THEN i ELSE least END)',
            ],
          ])
            expect([each, await run(`${each} RETURN ${String(counted)}`)]).toEqual([
              each,
              await run(`${each} RETURN ${String(told)}`),
            ]);
      },
    ),
    { ...LAW_RUNS, numRuns: Math.ceil(LAW_RUNS.numRuns / PATTERNS) },
  );
});
