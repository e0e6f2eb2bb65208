/**
 * Statements that name thousands of labels, types, values or conditions: they have their rows, and what a row
 * costs does not grow with names that it does not have.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { missingNames } from '../src/reading/missing-names.ts';
import { parse } from '../src/parser/parse.ts';
import type { PlanOperator } from '../src/index.ts';
import type { Value } from '../src/value/value.ts';
import { MemoryStore } from './memory-store.ts';

const NEVER = { aborted: false };
const MANY = 12_000;

const numbered = (count: number, text: (at: number) => string, separator: string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(separator);
const labels = numbered(MANY, (at) => `A${String(at)}`, '|');
const types = numbered(MANY, (at) => `R${String(at)}`, '|');

describe('a statement with thousands of', () => {
  let store: MemoryStore;

  beforeAll(async () => {
    store = await MemoryStore.open();
    await rowsOf(`CREATE (:A1:B {x: 1})-[:R1]->(:C {x: 2}), (:A11999 {x: 3})-[:S]->(:C {x: 4})`);
  });

  afterAll(() => store.close());

  async function rowsOf(text: string, parameters = new Map<string, Value>()): Promise<unknown> {
    const result = await store.transactions.run({ text, parameters }, { access: 'write' }, NEVER);
    return (await result.take(Infinity)).flat();
  }

  it.each([
    ['labels', `MATCH (n:${labels}) RETURN n.x ORDER BY n.x`, [1n, 3n]],
    ['labels in a condition', `MATCH (n) WHERE n:${labels} RETURN n.x ORDER BY n.x`, [1n, 3n]],
    ['labels and others', `MATCH (n:${labels}|(B&C)|C) RETURN n.x ORDER BY n.x`, [1n, 2n, 3n, 4n]],
    ['labels beside another', `MATCH (n:(${labels})&B) RETURN n.x`, [1n]],
    [
      'refused labels',
      `MATCH (n:${numbered(MANY, (at) => `!A${String(at)}`, '&')}) RETURN n.x ORDER BY n.x`,
      [2n, 4n],
    ],
    [
      'refused labels beside another',
      `MATCH (n:C&${numbered(20, (at) => `!A${String(at)}`, '&')}&!B) RETURN n.x ORDER BY n.x`,
      [2n, 4n],
    ],
    ['types', `MATCH (n)-[:${types}]->(m) RETURN m.x`, [2n]],
    ['types of a path', `MATCH (n)-[:${types}*1..3]->(m) RETURN m.x`, [2n]],
    ['types in a condition', `MATCH ()-[r]->(m) WHERE r:${types} RETURN m.x`, [2n]],
    [
      'conditions',
      `MATCH (n:C) WHERE ${numbered(MANY, (at) => `n.x <> -${String(at)}`, ' AND ')} RETURN n.x ORDER BY n.x`,
      [2n, 4n],
    ],
    [
      'conditions, the last of which is not met',
      `MATCH (n:C) WHERE ${numbered(MANY, (at) => `n.x <> ${String(at + 100)}`, ' AND ')} AND n.x <> 2 RETURN n.x`,
      [4n],
    ],
    [
      'conditions with patterns',
      `MATCH (n:C) WHERE ${numbered(5_000, (at) => `NOT (n)-[:T${String(at)}]->()`, ' AND ')} RETURN n.x ORDER BY n.x`,
      [2n, 4n],
    ],
    [
      'conditions in braces',
      `MATCH (n:C {${numbered(MANY, (at) => `${at % 2 === 0 ? 'x' : '_type'}: ${at % 2 === 0 ? '2' : "'C'"}`, ', ')}}) RETURN n.x`,
      [2n],
    ],
    [
      'values in a list',
      `MATCH (n) WHERE n.x + 0 IN [${numbered(40_000, (at) => String(at + 2), ',')}] RETURN n.x ORDER BY n.x`,
      [2n, 3n, 4n],
    ],
  ])('%s has its rows', async (_, text, expected) => {
    expect(await rowsOf(text)).toEqual(expected);
  });

  it('values in a parameter has its rows', async () => {
    const list = Array.from({ length: 50_000 }, (_, at) => (at % 2 === 0 ? BigInt(at) : `t${String(at)}`));

    expect(
      await rowsOf('MATCH (n) WHERE n.x IN $list RETURN n.x ORDER BY n.x', new Map([['list', list]])),
    ).toEqual([2n, 4n]);
  });

  it.each([
    ['labels', `MATCH (n:${labels}) RETURN n.x`],
    ['refused labels', `MATCH (n:${numbered(MANY, (at) => `!A${String(at)}`, '&')}) RETURN n.x`],
  ])('%s reads each node once for all of them', async (_, text) => {
    const { summary } = await store.transactions.run(
      { text: `PROFILE ${text}`, parameters: new Map() },
      { access: 'read' },
      NEVER,
    );
    const filters = operatorsOf(summary.plan?.root).filter(({ operator }) => operator === 'Filter');

    expect(filters.map(({ hits }) => hits)).toEqual([4]);
  });

  it.each([
    ['AND', `MATCH (n) WHERE ${'n.gone = 1 AND '.repeat(12_000)}true RETURN n`],
    ['OR', `MATCH (n) WHERE ${'n.gone = 1 OR '.repeat(12_000)}n.gone = 2 RETURN n`],
    ['a sum', `MATCH (n) WHERE ${'n.x + 1 - '.repeat(12_000)}n.gone > 0 RETURN n`],
  ])('%s is looked through for names that the data does not have', (_, text) => {
    const names = missingNames(parse(text).query, store.graph.snapshot(), []);

    expect(new Set(names.map(({ message }) => message))).toEqual(
      new Set(['no node of that label has `gone`']),
    );
  });
});

function operatorsOf(root: PlanOperator | undefined): readonly PlanOperator[] {
  return root === undefined ? [] : [root, ...root.children.flatMap(operatorsOf)];
}
