/** EXPLAIN, PROFILE and warnings, over a store. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PlanOperator, StatementResult } from '../src/index.ts';
import { MemoryStore } from './memory-store.ts';

const NEVER = { aborted: false };

describe('the plan of a statement', () => {
  let store: MemoryStore;

  beforeAll(async () => {
    store = await MemoryStore.open();
    await run(`UNWIND range(1, 20) AS i CREATE (:Host {name: 'h' + i})-[:RUNS]->(:Service {port: i})`);
  });

  afterAll(() => store.close());

  function run(text: string): Promise<StatementResult> {
    return store.transactions.run({ text, parameters: new Map() }, { access: 'write' }, NEVER);
  }

  async function planOf(text: string): Promise<PlanOperator> {
    const { summary } = await run(text);
    if (summary.plan === undefined) throw new Error(`expected a plan of ${text}`);
    return summary.plan.root;
  }

  it('has the operators from the result down to the scan, with their places in the text', async () => {
    const plan = await planOf(
      `EXPLAIN MATCH (h:Host)-[r:RUNS]->(s) WHERE s.port > 3 RETURN h.name AS name, collect(s.port) AS n ORDER BY n DESC LIMIT 2`,
    );

    expect(linesOf(plan)).toEqual([
      'ProduceResults name, n',
      'Limit 2',
      'Sort n DESC',
      'EagerAggregation h.name collect(s.port)',
      'Filter s.port > 3',
      'Filter label RUNS',
      'Expand(All) -[r:RUNS]->',
      'Filter label Host',
      'NodeByLabelScan h:Host',
    ]);
    expect(plan.identifiers).toEqual(['name', 'n']);
  });

  it('has one operator for patterns that are only counted, and searched as sets', async () => {
    const text = 'MATCH (h:Host)-[:RUNS]->(s) WHERE s.port > 3 RETURN h.name AS name, count(*) AS n';

    expect(linesOf(await planOf(`EXPLAIN ${text}`))).toEqual([
      'ProduceResults name, n',
      'EagerAggregation h.name count(*)',
      'PatternSearch MATCH (h:Host)-[:RUNS]->(s) WHERE s.port > 3',
    ]);
    expect((await planOf(`PROFILE ${text}`)).children[0]?.children[0]).toMatchObject({ rows: 17 });
  });

  it('is made anew for the same text once the data has changed', async () => {
    const text =
      'MATCH (a:Team)-[:IN]->(b:Team)-[:IN]->(c) RETURN count(*) AS rows, count(DISTINCT b) AS middle';
    const counts = async () => (await run(text)).take(1);
    await run('CREATE (:Team)-[:IN]->(:Team)-[:IN]->(:Team)');
    const before = [await counts(), await counts()];
    await run('MATCH (c:Team) WHERE NOT (c)-->() CREATE (c)-[:IN]->(:Team), (c)-[:IN]->(:Other)');
    const after = [await counts(), await counts()];

    expect(before).toEqual([[[1n, 1n]], [[1n, 1n]]]);
    expect(after).toEqual([[[3n, 2n]], [[3n, 2n]]]);
  });

  it('shows what a subquery and each part of a UNION runs', async () => {
    const plan = await planOf(
      `EXPLAIN MATCH (h:Host {name: 'h1'}) CALL (h) { MATCH (h)--(s) RETURN s } RETURN s UNION MATCH (s:Service) RETURN s`,
    );

    expect(linesOf(plan)).toEqual([
      'ProduceResults s',
      'Distinct s',
      'Union ',
      '  Projection s',
      '  Apply s',
      `    Filter name = 'h1'`,
      '    Filter label Host',
      '    NodeIndexSeek h:Host(name)',
      '    Projection s',
      '    Expand(All) --',
      '  Projection s',
      '  Filter label Service',
      '  NodeByLabelScan s:Service',
    ]);
  });

  it('has no rows and changes nothing after EXPLAIN, also in a transaction for reading', async () => {
    const result = await store.transactions.run(
      { text: 'EXPLAIN CREATE (n:Ghost) RETURN n', parameters: new Map() },
      { access: 'read' },
      NEVER,
    );

    expect([result.columns, await result.take(1), result.summary.kind]).toEqual([['n'], [], 'r']);
    expect(result.summary.counters.nodes_created).toBe(0);
    expect(await (await run('MATCH (n:Ghost) RETURN n')).take(1)).toEqual([]);
  });

  it('has the rows and reads of each operator after PROFILE, beside the result', async () => {
    const result = await run('PROFILE MATCH (h:Host)-[:RUNS]->(s) WHERE s.port <= 5 RETURN h.name AS name');
    const { plan } = result.summary;
    const counts = operatorsOf(plan?.root).map(({ operator, rows = -1 }) => `${operator} ${rows}`);

    expect(plan?.isProfiled).toBe(true);
    expect(await result.take(Infinity)).toHaveLength(5);
    expect(counts).toEqual([
      'ProduceResults 5',
      'Projection 5',
      'Filter 5',
      'Filter 20',
      'Expand(All) 20',
      'Filter 20',
      'NodeByLabelScan 20',
    ]);
    const hits = operatorsOf(plan?.root).map(({ hits: count }) => count);
    expect(hits).toEqual([0, 5, 20, 0, 40, 20, 20]);
  });

  it.each([
    ['PatternSearch', 'PROFILE MATCH (h:Host)-[:RUNS]->(s) RETURN count(*)', 1],
    [
      'ShortestPath',
      "PROFILE MATCH (h:Host {name: 'h1'}), (s:Service {port: 1}), p = shortestPath((h)-[*1..3]->(s)) RETURN length(p)",
      1,
    ],
  ])('has no reads of a %s, which searches whole sets', async (name, text, rows) => {
    const { summary } = await run(text);
    const found = operatorsOf(summary.plan?.root).find(({ operator }) => operator === name);

    expect([found?.rows, found?.hits]).toEqual([rows, undefined]);
  });

  it('adds up what a subquery does for all rows', async () => {
    const { summary } = await run(
      'PROFILE MATCH (h:Host) CALL (h) { MATCH (h)-->(s) RETURN s } RETURN count(s)',
    );
    const expand = operatorsOf(summary.plan?.root).find(({ operator }) => operator === 'Expand(All)');

    expect([expand?.rows, expand?.hits]).toEqual([20, 40]);
  });

  it('changes what the statement changes after PROFILE', async () => {
    const { summary } = await run('PROFILE CREATE (n:Profiled)');

    expect(summary.counters.nodes_created).toBe(1);
    expect(linesOf(summary.plan?.root)).toEqual(['ProduceResults ', 'Create CREATE (n:Profiled)']);
  });

  it('belongs to a statement that asks for it only', async () => {
    expect((await run('RETURN 1 AS one')).summary.plan).toBeUndefined();
  });
});

describe('a name that the data does not have', () => {
  let store: MemoryStore;

  beforeAll(async () => {
    store = await MemoryStore.open();
    await run(`CREATE (:Host {name: 'a'})-[:RUNS {since: 1}]->(:Service {port: 1})`);
  });

  afterAll(() => store.close());

  async function run(text: string): Promise<readonly string[]> {
    const { summary } = await store.transactions.run(
      { text, parameters: new Map() },
      { access: 'write' },
      NEVER,
    );
    return summary.notifications.map(({ description }) => description);
  }

  it.each([
    ['MATCH (h:Hosst) RETURN h', ['no label `Hosst` is known: did you mean Host?']],
    ['MATCH (h)-[:RUN]->() RETURN h', ['no type of relationship `RUN` is known: did you mean RUNS?']],
    ['MATCH (h:Host) WHERE h.nam = 1 RETURN h', ['no property `nam` is known: did you mean name?']],
    ['MATCH (h:Host {nmae: 1}) RETURN h', ['no property `nmae` is known: did you mean name?']],
    ['MATCH (h) WHERE h:Zebra OR h:Host RETURN h', ['no label `Zebra` is known']],
    ['EXPLAIN MATCH (h:Zebra) RETURN h', ['no label `Zebra` is known']],
    ['MATCH (h) WHERE EXISTS { (h)--(:Zebra) } RETURN h', ['no label `Zebra` is known']],
  ])('%s', async (text, expected) => {
    expect(await run(text)).toEqual(expected);
  });

  it.each([
    'MATCH (h:Host)-[r:RUNS]->(s:Service) WHERE r.since = 1 AND s.port = 1 RETURN h.name, h._key',
    'WITH {colour: 1} AS m RETURN m.colour',
    'MATCH (h:Host)-[r]->() WHERE r.whence IS NULL RETURN r',
    'MATCH (h:Host) SET h.colour = 1',
    'MERGE (z:Zebra {stripes: 3})',
  ])('is not guessed in %s', async (text) => {
    expect(await run(text)).toEqual([]);
  });
});

function operatorsOf(plan: PlanOperator | undefined): readonly PlanOperator[] {
  return plan === undefined ? [] : [plan, ...plan.children.flatMap(operatorsOf)];
}

function linesOf(plan: PlanOperator | undefined, depth = 0): readonly string[] {
  if (plan === undefined) return [];
  const indent = '  '.repeat(depth);
  const isBranch = plan.children.length > 1;
  return [
    `${indent}${plan.operator} ${plan.details}`,
    ...plan.children.flatMap((child) => linesOf(child, depth + (isBranch ? 1 : 0))),
  ];
}
