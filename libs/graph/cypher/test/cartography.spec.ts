/** The statements that Cartography writes, from the folder of test data, run on two days. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless, effort } from '#testing';
import type { Value } from '../src/index.ts';
import { containsUpdates } from '../src/overlay/counters.ts';
import { Ingestion, keyOf, linkText, parameterOf, valueAt } from './cartography/ingestion.ts';
import { MemoryStore } from './memory-store.ts';

const FILE = join(process.env['PLEXUS_TEST_DATA'] ?? 'no test data', 'cypher', 'cartography.jsonl');

interface Line {
  readonly kind: 'ingestion' | 'cleanup' | 'match_link' | 'index';
  readonly cypher: string;
}

const LINES: readonly Line[] = existsSync(FILE)
  ? readFileSync(FILE, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
  : [];
/** The statements of a kind, from 1. */
function numbered(kind: Line['kind']): readonly (readonly [number, string])[] {
  return LINES.filter((line) => line.kind === kind).map(({ cypher }, index) => [index + 1, cypher]);
}

const NEVER = { aborted: false };
const DAY_ONE = [1, 2, 3, 4, 5];
const DAY_TWO = [2, 3, 4, 5, 6];

const describeWithData = describeUnless(
  existsSync(FILE) ? undefined : 'PLEXUS_TEST_DATA has no cypher/cartography',
);

describeWithData("Cartography's statements", () => {
  let store: MemoryStore;

  beforeEach(async () => {
    store = await MemoryStore.open();
  });
  afterEach(() => store.close());

  const run = async (text: string, values: Readonly<Record<string, Value>> = {}) => {
    const parameters = new Map(Object.entries(values));
    return store.transactions.run({ text, parameters }, { access: 'write' }, NEVER);
  };
  const rows = async (text: string, values: Readonly<Record<string, Value>> = {}) =>
    (await run(text, values)).take(Infinity);
  const parametersOf = (
    text: string,
    more: Readonly<Record<string, Value>>,
  ): Readonly<Record<string, Value>> => {
    const names = [...text.matchAll(/\$(\w+)/g)].map(([, name = '']) => [name, parameterOf(name)] as const);
    return { ...Object.fromEntries(names), ...more };
  };

  /** Repeats a cleanup as Cartography does, until it changes nothing. */
  const cleanUp = async (text: string, tag: bigint): Promise<void> => {
    const values = parametersOf(text, { UPDATE_TAG: tag, LIMIT_SIZE: 2n });
    for (;;) {
      const { summary } = await run(text, values);
      if (!containsUpdates(summary.counters)) return;
    }
  };

  const expectNodes = async (ingestion: Ingestion, days: ReadonlyMap<number, number>): Promise<void> => {
    const { label, key, keyPath, assignments } = ingestion;
    const found = await rows(
      `MATCH (i:\`${label}\`) WHERE i.\`${key}\` STARTS WITH 'key-' RETURN properties(i)`,
    );
    const byKey = new Map(
      found.map(([properties]) => [(properties as Map<string, Value>).get(key), properties]),
    );
    expect([...byKey.keys()].sort()).toEqual([...days.keys()].map(keyOf).sort());
    for (const [row, day] of days) {
      const properties = byKey.get(keyOf(row)) as Map<string, Value>;
      const item = ingestion.item(row, day);
      for (const assignment of assignments) {
        const isLast = assignments.findLast((other) => other.key === assignment.key) === assignment;
        if (assignment.key === key || assignment.path === keyPath || !isLast) continue;
        expect([assignment.key, properties.get(assignment.key)]).toEqual([
          assignment.key,
          valueAt(item, assignment.path),
        ]);
      }
    }
  };

  const linksOf = async ({ label, key, links }: Ingestion): Promise<readonly string[]> => {
    const types = new Set(links.map(({ type }) => type));
    const found = await rows(
      `MATCH (i:\`${label}\`)-[r]-(n) WHERE i.\`${key}\` STARTS WITH 'key-' AND n._seed IS NOT NULL
       RETURN i.\`${key}\`, type(r), startNode(r) = i, n._seed`,
    );
    return found.flatMap(([own, type, isOut, other]) =>
      typeof own === 'string' && typeof type === 'string' && types.has(type)
        ? [linkText(own, { type, isOut: isOut === true, other: Number(other) })]
        : [],
    );
  };

  const share = effort(1, 8);
  const ingestions = LINES.filter(({ kind }) => kind === 'ingestion').filter(
    (_, index) => index % share === 0,
  );

  it('of ingestion make what their rows say on two days, and a cleanup takes what has vanished', async () => {
    let modelled = 0;
    for (const { cypher } of ingestions) {
      const ingestion = Ingestion.of(cypher);
      await store.close();
      store = await MemoryStore.open();
      const seeds = ingestion?.seeds([1, 2, 3, 4, 5, 6]) ?? [];
      for (const label of new Set(seeds.map((seed) => seed.label))) {
        const list = seeds.flatMap((seed, number) =>
          seed.label === label
            ? [new Map<string, Value>([...Object.entries(seed.properties), ['_seed', BigInt(number)]])]
            : [],
        );
        await run(`UNWIND $list AS values CREATE (n:\`${label}\`) SET n = values`, { list });
      }
      const ingest = async (numbers: readonly number[], day: number): Promise<void> => {
        const DictList = numbers.map((row) => ingestion?.item(row, day) ?? new Map());
        const tag = BigInt(day);
        await run(
          cypher,
          parametersOf(cypher, { DictList, lastupdated: tag, LASTUPDATED: tag, UPDATE_TAG: tag }),
        );
      };
      await ingest(DAY_ONE, 1);
      if (ingestion === undefined) continue;
      modelled++;
      await expectNodes(ingestion, new Map(DAY_ONE.map((row) => [row, 1])));
      const expected = DAY_ONE.flatMap((row) => ingestion.expectedLinks(row, seeds));
      expect((await linksOf(ingestion)).toSorted()).toEqual([...new Set(expected)].sort());

      await ingest(DAY_TWO, 2);
      await expectNodes(ingestion, new Map([[1, 1], ...DAY_TWO.map((row) => [row, 2] as const)]));
      const whole = [1, ...DAY_TWO].flatMap((row) => ingestion.expectedLinks(row, seeds));
      expect((await linksOf(ingestion)).toSorted()).toEqual([...new Set(whole)].sort());

      if (!/i\.lastupdated = \$/.test(cypher)) continue;
      await cleanUp(
        `MATCH (n:\`${ingestion.label}\`) WHERE n.lastupdated <> $UPDATE_TAG WITH n LIMIT $LIMIT_SIZE DETACH DELETE n`,
        2n,
      );
      await expectNodes(ingestion, new Map(DAY_TWO.map((row) => [row, 2])));
    }
    expect(modelled).toBeGreaterThan(ingestions.length * 0.9);
  }, 600_000);

  it.each(numbered('cleanup'))(
    'of cleanup delete what is older than the tag, and only that: number %i',
    async (_, cypher) => {
      const [pattern = ''] = cypher.split('WHERE');
      const [, target = ''] = /WITH (\w) LIMIT/.exec(cypher) ?? [];
      const create = `${pattern.replaceAll('MATCH', 'CREATE')} SET ${target}.lastupdated = $tag`;
      for (const tag of [1n, 1n, 1n, 2n, 2n]) await run(create, parametersOf(create, { tag }));
      await cleanUp(cypher, 2n);

      const left = `${pattern} RETURN ${target}.lastupdated`;
      expect(await rows(left, parametersOf(left, {}))).toEqual([[2n], [2n]]);
    },
  );

  it.each(numbered('match_link'))(
    'of match links make one relationship a row, however often: number %i',
    async (_, cypher) => {
      const [before = ''] = cypher.split('MERGE');
      const paths = [...cypher.matchAll(/item\.(\w+)/g)].map(([, path = '']) => path);
      const items = [1, 2, 3, 4].map(
        (row) => new Map<string, Value>(paths.map((path) => [path, `${path}-${String(row)}`])),
      );
      const DictList = items;
      const create = before
        .replaceAll('MATCH', 'CREATE')
        .replace(/^\s*CREATE \(\w*sub_resource/, (head) => head.replace('CREATE', 'MERGE'));
      await run(create, parametersOf(create, { DictList }));
      for (const tag of [1n, 2n]) {
        await run(
          cypher,
          parametersOf(cypher, { DictList, lastupdated: tag, LASTUPDATED: tag, UPDATE_TAG: tag }),
        );
      }
      const [, left = '', type = ''] = /MERGE \(from\)(<?)-\[r:(\w+)\]/.exec(cypher) ?? [];
      const arrow = left === '' ? ['-', '->'] : ['<-', '-'];

      expect(
        await rows(`MATCH (from)${arrow.join(`[r:${type}]`)}(to) RETURN DISTINCT r.lastupdated, count(*)`),
      ).toEqual([[2n, 4n]]);
    },
  );

  it('of indexes are accepted', async () => {
    for (const { cypher } of LINES.filter(({ kind }) => kind === 'index')) {
      await run(cypher);
      expect((await run(cypher)).summary.counters.indexes_added).toBe(0);
    }
  });
});
