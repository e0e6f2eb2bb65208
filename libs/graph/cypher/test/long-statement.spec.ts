/** A statement as long as it may be: others have turns while it is compiled, and while it works for a row. */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { systemClock } from '#platform/foundation';
import { pendingChanges } from '../src/overlay/pending-changes.ts';
import { parse } from '../src/parser/parse.ts';
import { compileStatement } from '../src/query/compile-query.ts';
import { TransactionSchema } from '../src/schema/transaction-schema.ts';
import { StatementRun } from '../src/service/statement-run.ts';
import { single } from '../src/stage/stage.ts';
import { MemoryStore } from './memory-store.ts';
import { emptyGraph } from './statement/empty-graph.ts';
import { runOver } from './statement/run-statement.ts';

const NEVER = { aborted: false };

/** Every reading of the time is 5 ms after the one before: a machine that is slow at each step. */
function slowDown(): void {
  let now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => (now += 5));
}

describe('a long statement', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([
    ['refused', `RETURN [${'1,'.repeat(500_000)}1]`],
    ['refused at its end', `RETURN [${'1,'.repeat(49_000)}1`],
    ['run', `RETURN size([${'1,'.repeat(49_000)}1]) AS n`],
  ])('that is %s leaves turns to others while it is compiled', async (_, text) => {
    const store = await MemoryStore.open();
    let turns = 0;
    let isOver = false;
    const beat = (): void => {
      turns++;
      if (!isOver) setImmediate(beat);
    };
    const transaction = await store.transactions.begin({ access: 'read' }, NEVER);
    slowDown();
    const running = transaction.run({ text, parameters: new Map() }, NEVER).catch(() => undefined);
    setImmediate(beat);
    await running;
    isOver = true;
    jest.restoreAllMocks();
    transaction.rollback();
    await store.close();

    expect(turns).toBeGreaterThan(5);
  });

  it.each([
    ['one long condition', 'sealed', ' OR '],
    ['many conditions', 'sealed', ' AND '],
    ['one long condition', 'not sealed', ' OR '],
    ['many conditions', 'not sealed', ' AND '],
  ])('with %s on a property that is %s leaves turns to others', async (_, state, junction) => {
    const condition = Array.from({ length: 4_000 }, (_, at) => `n.x <> -${String(at + 1)}`).join(junction);
    const store = await MemoryStore.open();
    const transaction = await store.transactions.begin({ access: 'write' }, NEVER);
    await transaction.run(
      { text: 'UNWIND range(1, 600) AS x CREATE (:T {x: x})', parameters: new Map() },
      NEVER,
    );
    await transaction.commit();
    if (state === 'sealed') await store.reopen();
    const text = `MATCH (n:T) WHERE ${condition} RETURN count(n) AS n`;
    const reading = await store.transactions.begin({ access: 'read' }, NEVER);
    let turns = 0;
    let isOver = false;
    const beat = (): void => {
      turns++;
      if (!isOver) setImmediate(beat);
    };
    await reading.run({ text: `EXPLAIN ${text}`, parameters: new Map() }, NEVER);
    slowDown();
    const running = reading.run({ text, parameters: new Map() }, NEVER).then((result) => result.take(1));
    setImmediate(beat);
    const rows = await running;
    isOver = true;
    jest.restoreAllMocks();
    reading.rollback();
    await store.close();

    expect(rows).toEqual([[600n]]);
    expect(turns).toBeGreaterThan(25);
  });

  it('offers a pause between its changes for one row', () => {
    const { stage } = compileStatement(parse(`CREATE ${'(),'.repeat(999)}()`).query);
    const graph = emptyGraph();
    const rows = [
      ...stage(
        single([]),
        runOver(graph, new Map(), () => true),
      ),
    ];

    expect(rows.filter((row) => row === undefined).length).toBeGreaterThanOrEqual(1_000);
    expect(graph.counters.nodes_created).toBe(1_000);
  });

  it('offers pauses between the changes that it commits', () => {
    const graph = emptyGraph();
    const nodes = Array.from({ length: 2_000 }, () => graph.createNode(['T'], new Map([['x', 1n]])));
    for (const to of nodes) graph.createLink('R', { from: nodes[0] ?? to, to }, new Map());
    const steps = pendingChanges(graph, { source: 'cypher', deletable: [] }, []);
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses++;

    expect(step.value?.entities).toHaveLength(2_000);
    expect(step.value?.relationships).toHaveLength(2_000);
    expect(pauses).toBeGreaterThan(40);
  });

  it('offers a pause after few rows', () => {
    const limits = { clock: systemClock, deadlineMs: Infinity, timeoutMs: Infinity, signal: NEVER };
    const rowsBeforePause = (textLength: number): number => {
      const ground = { graph: emptyGraph(), schema: new TransactionSchema([]) };
      const run = new StatementRun(ground, new Map(), { ...limits, memoryMax: 1_000, textLength });
      let count = 1;
      while (!run.isPauseDue()) count++;
      return count;
    };

    expect(rowsBeforePause(100)).toBeGreaterThan(200);
    expect(rowsBeforePause(500_000)).toBe(1);
  });
});
