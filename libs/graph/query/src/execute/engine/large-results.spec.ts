import { describe, expect, it } from '@jest/globals';
import type { ByteSink } from '#graph/model';
import {
  entity,
  type GraphData,
  NaiveReader,
  relationship,
  TextSink,
  executionContextOf,
  hurriedClock,
} from '#graph/testing';
import { completed } from '#platform/foundation';
import { encodeSteps } from '../../result/encode-result.ts';
import { QueryEngine } from './query-engine.ts';
import { RowList } from '../row/row-list.ts';
import { distinctRows } from '../row/row-order.ts';
import { NO_ELEMENT, RowTable } from '#graph/execution';

const vocabulary = { hasClass: () => true, hasVerb: () => true };
const ROWS = 60_000;
/** Maximum number of operations between two readings of the clock: a few for each unit of work. */
const MOST = 16_384;

function hosts(count: number): GraphData {
  const entities = Array.from({ length: count }, (_, at) =>
    entity('host', 'Host', `h${String((at * 7_919) % count).padStart(6, '0')}`, {
      n: at % 17,
      name: `name ${String((at * 31) % count)}`,
    }),
  );
  return {
    entities,
    relationships: entities.slice(1).map((to, at) => relationship(entities[at]!, 'USES', to)),
  };
}

/** Counts row reads. */
class CountedTable extends RowTable {
  looks = 0;

  override slot(row: number, slot: number): number {
    this.looks++;
    return super.slot(row, slot);
  }
}

/** The maximum increase of `count()` between two steps. */
function longestStretch<T>(steps: Generator<void, T>, count: () => number): { most: number; result: T } {
  let [before, most] = [count(), 0];
  for (;;) {
    const step = steps.next();
    most = Math.max(most, count() - before);
    before = count();
    if (step.done === true) return { most, result: step.value };
  }
}

/** Unordered rows of two slots, each node three times in the first. */
function shuffledTable(nodes: number): CountedTable {
  const table = new CountedTable(2);
  for (let row = 0; row < ROWS; row++)
    table.push(Uint32Array.of((row * 7_919) % nodes, row % 5 === 0 ? NO_ELEMENT : (row * 31) % nodes));
  return table;
}

/** Pairs of hosts in a row, each related with both of the next pair: 2^pairs shortest paths. */
function ladder(pairs: number): GraphData {
  const entities = Array.from({ length: pairs * 2 }, (_, at) =>
    entity('host', 'Host', `h${String(at).padStart(6, '0')}`, { pair: at >> 1 }),
  );
  const relationships = entities.flatMap((from, at) =>
    entities.slice(2).flatMap((to, next) => (next >> 1 === at >> 1 ? [relationship(from, 'USES', to)] : [])),
  );
  return { entities, relationships };
}

describe('all shortest paths', () => {
  const reader = new NaiveReader(ladder(40));
  const pql = 'FIND ALL SHORTEST PATHS FROM host WITH pair = 0 TO host WITH pair = 39';

  it('are refused when there are more than fit into memory', () => {
    const run = (): unknown => new QueryEngine({ vocabulary }).runSync(reader, pql, { memoryMax: 1_000_000 });

    expect(run).toThrow('expected to hold at most 1000000 bytes');
  });

  it('are found up to a limit without the others', () => {
    const result = new QueryEngine({ vocabulary }).runSync(reader, `${pql} LIMIT 3`, {
      memoryMax: 1_000_000,
    });

    expect(result.page(0, 10).paths?.map(({ nodes }) => nodes.length)).toEqual([40, 40, 40]);
  });
});

describe('rows of a large result', () => {
  const reader = new NaiveReader(hosts(2_000));
  const shape = { slots: [0, 1], links: new Set<number>() };

  it.each([
    ['sorted', { visible: 2, isOrdered: true }],
    ['told apart', { visible: 1, isOrdered: false }],
    ['sorted and told apart', { visible: 1, isOrdered: true }],
  ])('are %s in short stretches', (_, demand) => {
    const table = shuffledTable(2_000);
    const { most } = longestStretch(
      distinctRows(executionContextOf(reader), table, shape, demand),
      () => table.looks,
    );

    expect(table.looks).toBeGreaterThan(4 * ROWS);
    expect(most).toBeLessThan(MOST);
  });

  it('are selected in short slices', () => {
    const table = shuffledTable(2_000);
    const context = executionContextOf(reader);
    const rows = completed(distinctRows(context, table, shape, { visible: 1, isOrdered: true }));
    const every = Uint32Array.from({ length: rows.rows }, (_, row) => rows.rows - 1 - row);
    let steps = 0;
    const picking = rows.pick(every, context.pace);
    let step = picking.next();
    for (; step.done !== true; step = picking.next()) steps++;

    expect(steps).toBeGreaterThanOrEqual(Math.floor(ROWS / 4_096));
    expect(step.value.rows).toBe(rows.rows);
    expect(step.value.slot(0, 0)).toBe(rows.slot(rows.rows - 1, 0));
    expect([...step.value.tuplesOf(1)]).toEqual([...rows.tuplesOf(rows.rows - 2)]);
  });

  it('keep their positions when selected and merged again', () => {
    const table = new RowTable(1);
    for (const slot of [5, 6, 7, 8]) table.push(Uint32Array.of(slot));
    const { pace } = executionContextOf(reader);
    const rows = new RowList(table, { places: Uint32Array.of(3, 1, 2, 0) });
    const picked = completed(rows.pick(Uint32Array.of(2, 0, 1), pace));
    const starts = Uint32Array.of(0, 2, 3);
    const merged = completed(picked.merged({ places: Uint32Array.of(0, 2, 1), starts }, pace));
    const again = completed(
      merged.merged({ places: Uint32Array.of(1, 0), starts: Uint32Array.of(0, 2) }, pace),
    );

    expect([0, 1, 2].map((row) => picked.slot(row, 0))).toEqual([7, 8, 6]);
    expect([0, 1].map((row) => [...merged.tuplesOf(row)])).toEqual([[2, 1], [3]]);
    expect([...again.tuplesOf(0)]).toEqual([3, 2, 1]);
  });
});

/** Counts calls about single nodes. */
class CountedReader extends NaiveReader {
  calls = 0;

  override nodeField(node: number, field: string): ReturnType<NaiveReader['nodeField']> {
    this.calls++;
    return super.nodeField(node, field);
  }

  override writeEntity(node: number, sink: ByteSink): void {
    this.calls++;
    super.writeEntity(node, sink);
  }
}

describe('a query with a large result', () => {
  const reader = new CountedReader(hosts(8_000));

  it.each([
    'FIND host GROUP BY name HAVING name != null',
    'FIND host AS a GROUP BY a.name RETURN DISTINCT a.name, COUNT(*)',
    'FIND host AS a RETURN DISTINCT a.name',
    'FIND host AS a RETURN a.name, a.n ORDER BY a.name DESC',
    'FIND host AS a RETURN a.name, a.n ORDER BY a.name DESC LIMIT 900',
    'FIND host AS a RETURN a.name ORDER BY a.name LIMIT 9000',
  ])('%s looks at few entities between two turns', async (pql) => {
    const turns: number[] = [];
    const next = (): Promise<void> => {
      turns.push(reader.calls);
      return Promise.resolve();
    };
    const engine = new QueryEngine({ vocabulary, clock: hurriedClock() });
    const result = await engine.run(reader, pql, { turns: { next }, timeoutMs: Infinity });
    const stretches = [...turns, reader.calls].map((calls, at) => calls - (turns[at - 1] ?? calls));

    expect(result.count).toBeGreaterThan(800);
    expect(turns.length).toBeGreaterThan(4);
    expect(Math.max(...stretches)).toBeLessThan(8_192);
  });

  it.each(['FIND host', 'FIND host AS a RETURN a.name, a.n', 'FIND host GROUP BY name'])(
    'a page of %s is written a few items at a time',
    (pql) => {
      const result = new QueryEngine({ vocabulary }).runSync(reader, pql);
      const sink = new TextSink();
      const steps = encodeSteps(result, reader, sink, { offset: 0, limit: 10_000, tookMs: () => 1 });
      const { most } = longestStretch(steps, () => reader.calls + sink.byteLength / 100);

      expect(most).toBeLessThan(1_000);
      expect(JSON.parse(sink.text)).toMatchObject({ count: 8_000, took_ms: 1 });
    },
  );
});

describe('memory of a query', () => {
  const reader = new NaiveReader(hosts(500));

  it.each([
    'FIND host GROUP BY _key',
    'FIND host AS a RETURN DISTINCT a.name',
    'FIND host AS a THAT USES host AS b RETURN a.name, b.name ORDER BY b.n',
  ])('%s is refused when it holds more than it may', (pql) => {
    const engine = new QueryEngine({ vocabulary });
    const run = (memoryMax: number): number => engine.runSync(reader, pql, { memoryMax }).count;

    expect(() => run(10_000)).toThrow(
      expect.objectContaining({ code: 'QUERY_TOO_LARGE', details: { limit: 10_000 } }),
    );
    expect(run(10_000_000)).toBeGreaterThan(400);
  });

  it.each([
    ['RETURN COUNT', 90_300],
    ['GROUP BY p.n', 3],
    ['GROUP BY q.n', 6],
  ])('rows of an optional chain from what has no alias are not kept: %s', (clauses, count) => {
    const pql = `FIND spoke AS p THAT LEADS hub (THAT HAS rim AS q)? ${clauses}`;
    const star = new NaiveReader(starOf(300));
    const run = (planner: 'on' | 'off', memoryMax: number) =>
      new QueryEngine({ vocabulary }).runSync(star, pql, { planner, memoryMax });

    const counted = run('on', 500_000);

    expect(counted.count).toBe(count);
    expect(run('off', 50_000_000).page(0, 10)).toEqual(counted.page(0, 10));
  });
});

/** So many spokes lead to two hubs, and to a third without rims; each hub has all of as many rims. */
function starOf(size: number): GraphData {
  const make = (type: string, count: number, values: number) =>
    Array.from({ length: count }, (_, at) => entity(type, type, `${type}${String(at)}`, { n: at % values }));
  const [spokes, hubs, rims] = [make('spoke', size, 3), make('hub', 3, 3), make('rim', size, 5)];
  const relationships = hubs.flatMap((hub, at) => [
    ...spokes.map((spoke) => relationship(spoke, 'LEADS', hub)),
    ...(at < 2 ? rims : []).map((rim) => relationship(hub, 'HAS', rim)),
  ]);
  return { entities: [...spokes, ...hubs, ...rims], relationships };
}
