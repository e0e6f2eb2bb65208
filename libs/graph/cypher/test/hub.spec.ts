/** Between two known nodes, one of which has very many relationships: an account and its resources. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PlanOperator, StatementResult, Value } from '../src/index.ts';
import { MemoryStore } from './memory-store.ts';

const NEVER = { aborted: false };
const WRITE = { access: 'write' } as const;
const LEAVES = 2_000;
/** Reads of one look: both ends, a relationship and its type, with room to spare. */
const FEW = 20;

type Run = (text: string) => Promise<StatementResult>;

describe('a relationship between two known nodes', () => {
  let store: MemoryStore;

  const statement = (text: string) => ({ text, parameters: new Map<string, Value>() });
  const alone: Run = (text) => store.transactions.run(statement(text), WRITE, NEVER);

  beforeAll(async () => {
    store = await MemoryStore.open();
    await alone(`UNWIND range(1, ${String(LEAVES)}) AS i CREATE (:Leaf {id: i})`);
    await alone(`CREATE (h:Hub) WITH h MATCH (l:Leaf) CREATE (h)-[:HAS {of: l.id}]->(l)`);
  });
  afterAll(() => store.close());

  async function expectFewReads(run: Run): Promise<void> {
    for (const pattern of ['(h)-[r:HAS]->(l)', '(l)<-[r:HAS]-(h)', '(h)-[r]-(l)']) {
      const text = `PROFILE MATCH (h:Hub) MATCH (l:Leaf {id: 7}) MATCH ${pattern} RETURN r.of AS of`;
      const result = await run(text);
      expect(await result.take(2)).toEqual([[7n]]);
      expect(hitsOf('Expand(Into)', result.summary.plan?.root)).toBeLessThan(FEW);
    }
  }

  it('is looked for from the end that has fewer, whether they are new or sealed', async () => {
    await expectFewReads(alone);
    await store.reopen();
    await expectFewReads(alone);
  });

  it('is so in a transaction that has made them', async () => {
    const transaction = await store.transactions.begin(WRITE, NEVER);
    const within: Run = (text) => transaction.run(statement(text), NEVER);
    await within(`CREATE (h:NewHub) WITH h MATCH (l:Leaf) CREATE (h)-[:HAS {of: l.id}]->(l)`);
    await within('MATCH (h:Hub) DETACH DELETE h');
    await within('MATCH (h:NewHub) SET h:Hub');

    await expectFewReads(within);
    transaction.rollback();
  });
});

function hitsOf(name: string, plan: PlanOperator | undefined): number {
  const waiting = plan === undefined ? [] : [plan];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.operator === name) return next.hits ?? Infinity;
    waiting.push(...next.children);
  }
  throw new Error(`expected an operator ${name} in the plan`);
}
