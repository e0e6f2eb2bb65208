/** Scans that an index of the store answers, over a store and over a transaction with changes. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PlanOperator, StatementResult, Value } from '../src/index.ts';
import { MemoryStore } from './memory-store.ts';

const NEVER = { aborted: false };
const NODES = 400;

describe('a scan', () => {
  let store: MemoryStore;

  beforeAll(async () => {
    store = await MemoryStore.open();
    await run(`UNWIND range(1, ${NODES}) AS i
      CREATE (:Host {id: i, name: 'host-' + i, load: i / 10, zone: 'z' + (i % 4)})`);
    await store.reopen();
  });
  afterAll(() => store.close());

  function run(text: string, values: Readonly<Record<string, Value>> = {}): Promise<StatementResult> {
    const parameters = new Map(Object.entries(values));
    return store.transactions.run({ text, parameters }, { access: 'write' }, NEVER);
  }

  const parameters = { key: '7', keys: ['7', '9', null], from: 398n, prefix: 'host-39', list: [[1n]] };

  /** The scan, and the reads of the store that it has done. */
  async function profileOf(condition: string): Promise<readonly [string, number]> {
    const { summary } = await run(`PROFILE MATCH (h:Host) WHERE ${condition} RETURN h.id AS id`, parameters);
    let scan: PlanOperator | undefined = summary.plan?.root;
    while (scan?.children[0] !== undefined) [scan] = scan.children;
    return [`${scan?.operator ?? ''} ${scan?.details ?? ''}`, scan?.hits ?? -1];
  }

  it.each([
    [`h._key = $key`, 'NodeIndexSeek h:Host(_key)', 1],
    [`h._key IN $keys`, 'NodeIndexSeek h:Host(_key)', 2],
    [`h.name IN ['host-1', 'host-2']`, 'NodeIndexSeek h:Host(name)', 2],
    [`h.id IN [1, 2, 3.0]`, 'NodeIndexSeek h:Host(id)', 3],
    [`h.id IN []`, 'NodeIndexSeek h:Host(id)', 0],
    [`h.id >= $from`, 'NodeIndexSeekByRange h:Host(id)', 3],
    [`2 > h.id`, 'NodeIndexSeekByRange h:Host(id)', 1],
    [`h.id > 5 AND h.id < 8`, 'NodeIndexSeekByRange h:Host(id)', 2],
    [`h.name STARTS WITH $prefix`, 'NodeIndexScan h:Host(name)', 11],
    [`h.zone <> 'z1'`, 'NodeIndexScan h:Host(zone)', 300],
    [`h.id = 3 OR h.id = 4`, 'NodeIndexScan h:Host(id)', 2],
    [`h.id + 1 = 3`, 'NodeByLabelScan h:Host', NODES],
    [`h.id IN $list`, 'NodeIndexSeek h:Host(id)', NODES],
  ])('of WHERE %s reads what an index finds', async (condition, operator, hits) => {
    expect(await profileOf(condition)).toEqual([operator, hits]);
  });

  it('finds what a transaction has created by the key of its record', async () => {
    const transaction = await store.transactions.begin({ access: 'write' }, NEVER);
    const statement = (text: string) => ({ text, parameters: new Map<string, Value>() });
    (await transaction.run(statement(`UNWIND range(1, 40) AS i CREATE (:New {id: 'k' + i})`), NEVER)).close();
    const found = await transaction.run(statement(`MATCH (n:New {_key: 'k7'}) RETURN n.id AS id`), NEVER);
    const rows = await found.take(Infinity);
    transaction.rollback();

    expect(rows).toEqual([['k7']]);
  });

  it('begins where the store tells that the fewest nodes are, for the values of each run', async () => {
    const pattern = 'MATCH (a:Host), (b:Host) WHERE a.zone = $zone AND b.id < $below';
    const scansOf = async (below: bigint): Promise<readonly string[]> => {
      const { summary } = await run(`EXPLAIN ${pattern} RETURN a, b`, { zone: 'z1', below });
      const names: string[] = [];
      for (let at = summary.plan?.root; at !== undefined; [at] = at.children)
        names.push(`${at.operator} ${at.details}`);
      return names.filter((name) => name.startsWith('Node'));
    };
    const [zone, id] = ['NodeIndexSeek a:Host(zone)', 'NodeIndexSeekByRange b:Host(id)'];

    for (const below of [3n, 399n, 5n]) {
      expect(await scansOf(below)).toEqual(below < 100n ? [zone, id] : [id, zone]);
      const result = await run(`${pattern} RETURN a.id, b.id`, { zone: 'z1', below });
      expect(await result.take(Infinity)).toHaveLength(100 * (Number(below) - 1));
    }
  });
});
