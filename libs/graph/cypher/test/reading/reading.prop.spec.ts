/** Random graphs and random queries that read: the product against nested loops over lists. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse } from '../../src/parser/parse.ts';
import type { StatementResult } from '../../src/service/transaction.port.ts';
import { isList, isMap, LinkValue, NodeValue, PathValue, type Value } from '../../src/value/value.ts';
import { LAW_RUNS } from '../law-runs.ts';
import { MemoryStore } from '../memory-store.ts';
import { Choices, choices } from './choices.ts';
import type { PlainGraph } from './plain-match.ts';
import { plainRows } from './plain-query.ts';
import {
  type Plain,
  type PlainLink,
  type PlainNode,
  PlainPath,
  TooMuchWork,
  written,
} from './plain-value.ts';
import { creationOf, randomGraph } from './random-graph.ts';
import { randomCount } from './random-count.ts';
import { type RandomQuery, randomQuery } from './random-query.ts';

const NEVER = { aborted: false };
const WRITE = { access: 'write' } as const;

interface Case extends RandomQuery {
  readonly graph: PlainGraph;
  readonly creation: string | undefined;
}

/** Shown with its texts when it fails. */
function casesOf(query: (random: Choices) => RandomQuery): fc.Arbitrary<Case> {
  return fc.tuple(choices, choices).map(([first, second]) => {
    const graph = randomGraph(new Choices(first));
    const made = { graph, creation: creationOf(graph), ...query(new Choices(second)) };
    return Object.assign(made, { [fc.toStringMethod]: () => `${made.creation ?? ''}\n${made.text}` });
  });
}

/** Undefined where the interpreter does not come to an end in time. */
function expectedRows({ graph, text }: Case): readonly (readonly Plain[])[] | undefined {
  try {
    return plainRows(graph, parse(text).query).map((row) => [...row.values()]);
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
}

/** The product's values as the interpreter's, its elements found by their `id`. */
function plainOf(value: Value, result: StatementResult, graph: PlainGraph): Plain {
  const of = (each: Value): Plain => plainOf(each, result, graph);
  const node = ({ node: at }: NodeValue): PlainNode => byId(graph.nodes, result.graph.nodeProperty(at, 'id'));
  const link = ({ link: at }: LinkValue): PlainLink => byId(graph.links, result.graph.linkProperty(at, 'id'));
  if (value instanceof NodeValue) return node(value);
  if (value instanceof LinkValue) return link(value);
  if (value instanceof PathValue) return new PlainPath(value.nodes.map(node), value.links.map(link));
  if (isList(value)) return value.map(of);
  if (isMap(value)) return new Map([...value].map(([key, item]) => [key, of(item)]));
  if (typeof value === 'object' && value !== null) throw new Error(`unexpected ${value.toString()}`);
  return value;
}

/** A value of a parameter: no element of a graph. */
function valueOf(value: Plain): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(valueOf);
  throw new Error('expected a scalar or a list');
}

function byId<T extends { readonly id: number }>(elements: readonly T[], id: Value): T {
  const found = elements.find((element) => BigInt(element.id) === id);
  if (found === undefined) throw new Error('expected an element with an id of the graph');
  return found;
}

/** Grouping and DISTINCT keep any one of equal numbers; aggregates and patterns make lists in any order. */
function lines({ text, isOrdered }: Case, rows: readonly (readonly Plain[])[]): readonly string[] {
  const isByValue = /DISTINCT|UNION|ORDER BY|count\(|sum\(|avg\(|collect\(|min\(|max\(/.test(text);
  const isUnordered = /collect\(| AS bag/i.test(text);
  const all = rows.map((row) => row.map((value) => written(value, { isByValue, isUnordered })).join(' | '));
  return isOrdered ? all : all.sort();
}

/** The same with parameters in place of values, and which of them are lists. */
function withParameters(text: string): { readonly text: string; readonly areLists: readonly boolean[] } {
  const areLists: boolean[] = [];
  const replaced = text.replaceAll(VALUE, (_, before: string, list?: string) => {
    areLists.push(list !== undefined);
    return `${before}$p${String(areLists.length - 1)}`;
  });
  return { text: replaced, areLists };
}

const VALUE =
  /(\{\w: |[<>=] |WITH |CONTAINS |IN (?=\[))(?:(\[(?:[^[\]]|\[[^\]]*\])*\])|'[^']*'|-?\d+(?:\.\d+)?|true|null)(?=[ })]|$)/g;

const VALUES: readonly Plain[] = [1n, 0.5, 'a', -1n, true, null, 2n, '', 'ab', 1.5, [1n], 0n, '1'];

interface ParameterCase {
  readonly text: string;
  readonly graphs: readonly PlainGraph[];
  readonly sets: readonly (readonly Plain[])[];
}

const parameterCases: fc.Arbitrary<ParameterCase> = fc
  .tuple(choices, choices, choices, choices)
  .map(([first, second, query, values]) => {
    const { text, areLists } = withParameters(randomCount(new Choices(query)).text);
    const c = new Choices(values);
    const value = (): Plain => c.of(null, ...VALUES);
    const sets = c.times(3, () =>
      areLists.map((isAList) => (isAList ? c.times(c.below(4), value) : value())),
    );
    const graphs = [first, second].map((each) => randomGraph(new Choices(each)));
    return Object.assign(
      { text, graphs, sets },
      {
        [fc.toStringMethod]: () =>
          `${text}\n${graphs.map(creationOf).join('\n')}\n${sets.map((set) => set.map((each) => written(each)).join(' ')).join('\n')}`,
      },
    );
  });

describe('a query that reads a random graph', () => {
  let store: MemoryStore;

  beforeAll(async () => {
    store = await MemoryStore.open();
  });
  afterAll(() => store.close());

  const run = (
    text: string,
    { transactions } = store,
    parameters: ReadonlyMap<string, Value> = new Map(),
  ): Promise<StatementResult> => transactions.run({ text, parameters }, WRITE, NEVER);
  const rowsOf = async (result: StatementResult, graph: PlainGraph): Promise<readonly (readonly Plain[])[]> =>
    (await result.take(Infinity)).map((row) => row.map((value) => plainOf(value, result, graph)));

  it.each([
    ['of any kind', randomQuery],
    ['that counts', randomCount],
  ])(
    '%s has the rows of a plain interpreter, from the store and from an open transaction',
    async (_, query) => {
      await fc.assert(
        fc.asyncProperty(casesOf(query), async (each) => {
          const expected = expectedRows(each);
          fc.pre(expected !== undefined);

          (await run('MATCH (n) DETACH DELETE n')).close();
          const transaction = await store.transactions.begin(WRITE, NEVER);
          const statement = (text: string) => ({ text, parameters: new Map<string, Value>() });
          if (each.creation !== undefined) (await transaction.run(statement(each.creation), NEVER)).close();
          const pending = await rowsOf(await transaction.run(statement(each.text), NEVER), each.graph);
          await transaction.commit();
          const stored = await rowsOf(await run(each.text), each.graph);

          expect(lines(each, pending)).toEqual(lines(each, expected));
          expect(lines(each, stored)).toEqual(lines(each, expected));
        }),
        LAW_RUNS,
      );
    },
  );

  it.each([
    ['of any kind', randomQuery],
    ['that counts', randomCount],
  ])('%s has them from sealed columns', async (_, query) => {
    await fc.assert(
      fc.asyncProperty(casesOf(query), async (each) => {
        const expected = expectedRows(each);
        const { creation } = each;
        fc.pre(expected !== undefined && creation !== undefined);

        const sealed = await MemoryStore.open();
        try {
          (await run(creation, sealed)).close();
          await sealed.reopen();
          const rows = await rowsOf(await run(each.text, sealed), each.graph);
          expect(lines(each, rows)).toEqual(lines(each, expected));
        } finally {
          await sealed.close();
        }
      }),
      { ...LAW_RUNS, numRuns: Math.ceil(LAW_RUNS.numRuns / 4) },
    );
  });

  it('with parameters has them for each set of values, over data that changes', async () => {
    await fc.assert(
      fc.asyncProperty(parameterCases, async ({ text, graphs, sets }) => {
        fc.pre(text.includes('$p'));
        // Twice, for what is kept of the state before.
        for (const graph of [...graphs, ...graphs]) {
          (await run('MATCH (n) DETACH DELETE n')).close();
          const creation = creationOf(graph);
          if (creation !== undefined) (await run(creation)).close();
          for (const set of sets) {
            const told = text.replaceAll(/\$p(\d+)/g, (_, at: string) => written(set[Number(at)] ?? null));
            const each = { graph, creation, text: told, isOrdered: false };
            const expected = expectedRows(each);
            fc.pre(expected !== undefined);
            const parameters = new Map(set.map((value, at) => [`p${String(at)}`, valueOf(value)]));
            const rows = await rowsOf(await run(text, store, parameters), graph);
            expect(lines(each, rows)).toEqual(lines(each, expected));
          }
        }
      }),
      { ...LAW_RUNS, numRuns: Math.ceil(LAW_RUNS.numRuns / 4) },
    );
  });
});
