/** A scan that an index answers finds what a test of every node finds, from the store and a transaction. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StatementResult, Value } from '../src/index.ts';
import { LAW_RUNS } from './law-runs.ts';
import { MemoryStore } from './memory-store.ts';

const NEVER = { aborted: false };
const WRITE = { access: 'write' } as const;

const values = fc.constantFrom(
  ...[
    '0',
    '1',
    '-0.0',
    '1.0',
    '1.5',
    '-3',
    '0.0 / 0.0',
    '1.0 / 0.0',
    '9007199254740993',
    '-9007199254740993',
  ],
  ...["''", "'a'", "'ab'", "'b'", "'a\u{1f600}'", "'a\uffee'", "'1'", 'true', 'false'],
  ...["date('2024-01-01')", "'2024-01-01'", '[1, 2]', "['a']", '[]', '[1.5]', 'point({x: 1, y: 2})'],
);
const keys = fc.constantFrom('x', 'x', 'x', 'y', '_key', '_type', '_class', '_display_name');
const property = keys.map((key) => `n.${key}`);
const operand = fc.oneof({ weight: 8, arbitrary: values }, { weight: 1, arbitrary: fc.constant('null') });
const list = fc.array(operand, { maxLength: 4 }).map((items) => `[${items.join(', ')}]`);
const text = fc.constantFrom("''", "'a'", "'ab'", "'A'", 'null', "'1'");

const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc
      .tuple(property, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), operand, fc.boolean())
      .map(([left, operator, right, isTurned]) =>
        isTurned ? `${right} ${operator} ${left}` : `${left} ${operator} ${right}`,
      ),
    fc.tuple(property, list).map(([left, right]) => `${left} IN ${right}`),
    fc
      .tuple(property, fc.constantFrom('STARTS WITH', 'ENDS WITH', 'CONTAINS'), text)
      .map((parts) => parts.join(' ')),
    fc.tuple(property, fc.constantFrom('IS NULL', 'IS NOT NULL')).map((parts) => parts.join(' ')),
    fc
      .tuple(tie('condition'), fc.constantFrom('AND', 'OR'), tie('condition'))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    tie('condition').map((each) => `NOT (${each})`),
  ),
}));

/** What a node is created with. */
const node = fc
  .record({ label: fc.constantFrom('A', 'A:B', 'B'), x: values, y: values, key: fc.option(values) })
  .map(({ label, x, y, key }) => `(:${label} {x: ${x}, y: ${y}${key === null ? '' : `, _key: ${key}`}})`);
const nodes = fc.array(node, { minLength: 1, maxLength: 24 });

describe('a scan by an index', () => {
  let store: MemoryStore;

  beforeAll(async () => {
    store = await MemoryStore.open();
  });
  afterAll(() => store.close());

  type Run = (text: string) => Promise<StatementResult>;
  const statement = (each: string) => ({ text: each, parameters: new Map<string, Value>() });
  const idsOf = async (run: Run, each: string): Promise<readonly unknown[]> =>
    (await (await run(`${each} RETURN elementId(n) AS id ORDER BY id`)).take(Infinity)).map(([id]) => id);

  async function expectSame(run: Run, where: string, label: string): Promise<void> {
    const found = await idsOf(run, `MATCH (n${label}) WHERE ${where}`);
    // WHERE after WITH is a filter of rows.
    const tested = await idsOf(run, `MATCH (n${label}) WITH n WHERE ${where}`);
    expect(found).toEqual(tested);
  }

  it('has the nodes for which the condition is true', async () => {
    const cases = fc.tuple(nodes, nodes, condition, fc.constantFrom('', ':A', ':B', ':_'));
    await fc.assert(
      fc.asyncProperty(cases, async ([stored, pending, where, label]) => {
        const alone: Run = (each) => store.transactions.run(statement(each), WRITE, NEVER);
        (await alone('MATCH (n) DETACH DELETE n')).close();
        (await alone(`CREATE ${stored.join(', ')}`)).close();
        await expectSame(alone, where, label);

        const transaction = await store.transactions.begin(WRITE, NEVER);
        const within: Run = (each) => transaction.run(statement(each), NEVER);
        (await within(`CREATE ${pending.join(', ')}`)).close();
        (await within(`MATCH (n:A) SET n.x = n.y, n._key = n.x`)).close();
        await expectSame(within, where, label);
        transaction.rollback();
      }),
      LAW_RUNS,
    );
  });

  it('has them in sealed columns too', async () => {
    const cases = fc.tuple(nodes, condition, fc.constantFrom('', ':A', ':B'));
    await fc.assert(
      fc.asyncProperty(cases, async ([stored, where, label]) => {
        const sealed = await MemoryStore.open();
        try {
          const alone: Run = (each) => sealed.transactions.run(statement(each), WRITE, NEVER);
          (await alone(`CREATE ${stored.join(', ')}`)).close();
          await sealed.reopen();
          await expectSame(alone, where, label);
        } finally {
          await sealed.close();
        }
      }),
      { ...LAW_RUNS, numRuns: Math.ceil(LAW_RUNS.numRuns / 4) },
    );
  });
});
