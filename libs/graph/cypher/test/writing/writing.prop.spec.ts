/** Random graphs and random statements that write: the product against a model of the graph after them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainError } from '#platform/foundation';
import { parse } from '../../src/parser/parse.ts';
import type { StatementResult, Transaction } from '../../src/service/transaction.port.ts';
import { isList, isMap, type Value } from '../../src/value/value.ts';
import { LAW_RUNS } from '../law-runs.ts';
import { MemoryStore } from '../memory-store.ts';
import { Choices, choices } from '../reading/choices.ts';
import {
  type Plain,
  PlainFault,
  PlainLink,
  PlainNode,
  TooMuchWork,
  written,
} from '../reading/plain-value.ts';
import { creationOf, randomGraph } from '../reading/random-graph.ts';
import { PlainCounters, plainlyWritten, type WrittenGraph } from './plain-write.ts';
import { randomWrite } from './random-write.ts';

const NEVER = { aborted: false };
const WRITE = { access: 'write' } as const;

const NODES = 'MATCH (n) RETURN labels(n) AS l, properties(n) AS p';
const LINKS = `MATCH (a)-[r]->(b)
  RETURN labels(a) AS la, properties(a) AS pa, type(r) AS t, properties(r) AS p, labels(b) AS lb, properties(b) AS pb`;

interface Written {
  readonly rows: readonly string[];
  readonly counters: PlainCounters;
}

interface Outcome {
  readonly written: Written | 'a fault';
  readonly nodes: readonly string[];
  readonly links: readonly string[];
}

interface Case {
  readonly graph: WrittenGraph;
  readonly creation: string | undefined;
  readonly text: string;
}

const cases: fc.Arbitrary<Case> = fc.tuple(choices, choices).map(([first, second]) => {
  const { nodes, links } = randomGraph(new Choices(first));
  const { text } = randomWrite(new Choices(second));
  const made = {
    graph: { nodes: [...nodes], links: [...links] },
    creation: creationOf({ nodes, links }),
    text,
  };
  return Object.assign(made, { [fc.toStringMethod]: () => `${made.creation ?? ''}\n${text}` });
});

/** Undefined where the interpreter does not come to an end in time. */
function expectedOutcome({ graph: { nodes, links }, text }: Case): Outcome | undefined {
  const graph = copied({ nodes, links });
  try {
    const { rows, counters } = plainlyWritten(graph, parse(text).query);
    const hasRows = / RETURN [^{}]*$/.test(text);
    const lines = hasRows ? rows.map((row) => linePlain([...row.values()])).sort() : [];
    return { written: { rows: lines, counters }, ...described(graph) };
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    if (error instanceof PlainFault) return { written: 'a fault', ...described({ nodes, links }) };
    throw error;
  }
}

/** A graph of its own, to be changed. */
function copied({ nodes, links }: WrittenGraph): WrittenGraph {
  const made = new Map(nodes.map((node) => [node, new PlainNode(node.id, node.labels, node.properties)]));
  const of = (node: PlainNode): PlainNode => made.get(node) ?? node;
  return {
    nodes: [...made.values()],
    links: links.map(
      ({ id, start, type, end, properties }) => new PlainLink(id, [of(start), type, of(end)], properties),
    ),
  };
}

function described({ nodes, links }: WrittenGraph): Pick<Outcome, 'nodes' | 'links'> {
  const node = ({ labels, properties }: PlainNode): readonly Plain[] => [[...labels].sort(), properties];
  return {
    nodes: nodes.map((each) => linePlain(node(each))).sort(),
    links: links
      .map(({ start, type, properties, end }) => linePlain([...node(start), type, properties, ...node(end)]))
      .sort(),
  };
}

function linePlain(values: readonly Plain[]): string {
  return values.map((value) => written(value, { isByValue: true, isUnordered: true })).join(' | ');
}

function plainOf(value: Value): Plain {
  if (isList(value)) return value.map(plainOf);
  if (isMap(value)) return new Map([...value].map(([key, item]) => [key, plainOf(item)]));
  if (typeof value === 'object' && value !== null) throw new Error('unexpected element of the graph');
  return value;
}

type RunText = (text: string) => Promise<Written>;

async function outcomeOf(text: string, run: RunText): Promise<Outcome> {
  return { written: await faultOr(() => run(text)), ...(await graphOf(run)) };
}

async function graphOf(run: RunText): Promise<Pick<Outcome, 'nodes' | 'links'>> {
  return { nodes: (await run(NODES)).rows, links: (await run(LINKS)).rows };
}

async function writtenBy(result: StatementResult): Promise<Written> {
  const rows = (await result.take(Infinity)).map((row) => linePlain(row.map(plainOf))).sort();
  return { rows, counters: Object.assign(new PlainCounters(), countersOf(result)) };
}

function countersOf({ summary }: StatementResult): Partial<PlainCounters> {
  const names = Object.keys(new PlainCounters()) as (keyof PlainCounters)[];
  return Object.fromEntries(names.map((name) => [name, summary.counters[name]]));
}

async function faultOr<T>(attempt: () => Promise<T>): Promise<T | 'a fault'> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof DomainError && error.code === 'CYPHER_FAILED') return 'a fault';
    throw error;
  }
}

describe('a statement that writes to a random graph', () => {
  let store: MemoryStore;

  beforeAll(async () => {
    store = await MemoryStore.open();
  });
  afterAll(() => store.close());

  const statement = (text: string) => ({ text, parameters: new Map<string, Value>() });
  const alone = async (text: string, { transactions } = store): Promise<Written> =>
    writtenBy(await transactions.run(statement(text), WRITE, NEVER));
  const inside =
    (transaction: Transaction): RunText =>
    async (text) =>
      writtenBy(await transaction.run(statement(text), NEVER));
  const made = async ({ creation }: Case): Promise<void> => {
    await alone('MATCH (n) DETACH DELETE n');
    if (creation !== undefined) await alone(creation);
  };

  it('leaves what a model has, alone and in a transaction that has made the graph', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (each) => {
        const expected = expectedOutcome(each);
        fc.pre(expected !== undefined);
        await made(each);
        expect(await outcomeOf(each.text, alone)).toEqual(expected);

        await alone('MATCH (n) DETACH DELETE n');
        const transaction = await store.transactions.begin(WRITE, NEVER);
        const pending = inside(transaction);
        if (each.creation !== undefined) await pending(each.creation);
        if (expected.written === 'a fault') {
          expect(await faultOr(() => pending(each.text).then(() => transaction.commit()))).toBe('a fault');
          return;
        }
        expect(await outcomeOf(each.text, pending)).toEqual(expected);
        await transaction.commit();
        expect({ written: expected.written, ...(await graphOf(alone)) }).toEqual(expected);
      }),
      LAW_RUNS,
    );
  });

  it('leaves it over sealed columns', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (each) => {
        const expected = expectedOutcome(each);
        const { creation } = each;
        fc.pre(expected !== undefined && creation !== undefined);
        const sealed = await MemoryStore.open();
        try {
          const run: RunText = (text) => alone(text, sealed);
          await run(creation);
          await sealed.reopen();
          expect(await outcomeOf(each.text, run)).toEqual(expected);
          await sealed.reopen();
          expect({ written: expected.written, ...(await graphOf(run)) }).toEqual(expected);
        } finally {
          await sealed.close();
        }
      }),
      { ...LAW_RUNS, numRuns: Math.ceil(LAW_RUNS.numRuns / 4) },
    );
  });
});
