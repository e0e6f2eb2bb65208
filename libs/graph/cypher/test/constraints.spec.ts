/** Indexes and constraints over a real store on a disk in memory. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Value } from '../src/index.ts';
import { MemoryStore } from './memory-store.ts';

const NEVER = { aborted: false };
const WRITE = { access: 'write' } as const;
const UNIQUE = 'CREATE CONSTRAINT host_id FOR (h:Host) REQUIRE h.id IS UNIQUE';

describe('indexes and constraints', () => {
  let store: MemoryStore;

  beforeEach(async () => {
    store = await MemoryStore.open();
  });
  afterEach(() => store.close());

  const statement = (text: string) => ({ text, parameters: new Map<string, Value>() });
  const run = async (text: string) => store.transactions.run(statement(text), WRITE, NEVER);
  const rows = async (text: string) => (await run(text)).take(Infinity);
  const codeOf = async (work: Promise<unknown>): Promise<unknown> => {
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    return (error as { readonly details?: { readonly code?: unknown } }).details?.code;
  };

  it.each([
    'CREATE INDEX IF NOT EXISTS FOR (n:Ip) ON (n.id);',
    'CREATE INDEX named FOR (n:Ip) ON (n.id, n.region)',
    'CREATE TEXT INDEX FOR ()-[r:USES]-() ON (r.text)',
    'CREATE FULLTEXT INDEX words IF NOT EXISTS FOR (n:A|B) ON EACH [n.name, n.text] OPTIONS {indexConfig: {x: 1}}',
    'CREATE LOOKUP INDEX FOR (n) ON EACH labels(n)',
    'CREATE INDEX ON :Ip(id)',
  ])('accepts %s, and says that it is not needed', async (text) => {
    const { summary } = await run(text);

    expect([summary.kind, summary.counters.indexes_added]).toEqual(['s', 1]);
    expect(summary.notifications).toEqual([
      expect.objectContaining({ code: 'Neo.ClientNotification.Schema.IndexNotNeeded' }),
    ]);
    expect((await run('RETURN 1')).summary.notifications).toEqual([]);
  });

  it('adds an index once, and rejects a repetition without IF NOT EXISTS', async () => {
    await run('CREATE INDEX a FOR (n:A) ON (n.x)');
    const again = await run('CREATE INDEX b IF NOT EXISTS FOR (n:A) ON (n.x)');

    expect(again.summary.counters.indexes_added).toBe(0);
    expect(await codeOf(run('CREATE INDEX c FOR (n:A) ON (n.x)'))).toBe(
      'Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists',
    );
    expect(await codeOf(run('CREATE INDEX a FOR (n:A) ON (n.y)'))).toBe(
      'Neo.ClientError.Schema.IndexWithNameAlreadyExists',
    );
    expect((await run('DROP INDEX a')).summary.counters.indexes_removed).toBe(1);
    expect(await codeOf(run('DROP INDEX a'))).toBe('Neo.ClientError.Schema.IndexNotFound');
    expect((await run('DROP INDEX a IF EXISTS')).summary.counters.indexes_removed).toBe(0);
  });

  it('refuses a second node with the same value, however it comes about', async () => {
    await run(UNIQUE);
    await run("CREATE (:Host {id: 'a'}), (:Host {id: 'b'}), (:Other {id: 'a'}), (:Host), (:Host)");
    const violating = [
      "CREATE (:Host {id: 'a'})",
      "UNWIND [1, 2] AS x CREATE (:Host {id: 'c'})",
      "MATCH (h:Host {id: 'b'}) SET h.id = 'a'",
      'MATCH (o:Other) SET o:Host',
    ];

    for (const text of violating) {
      expect(await codeOf(run(text))).toBe('Neo.ClientError.Schema.ConstraintValidationFailed');
    }
    expect(await rows('MATCH (h:Host) RETURN h.id ORDER BY h.id')).toEqual([['a'], ['b'], [null], [null]]);
  });

  it('lets a value go from one node to another in one statement', async () => {
    await run(UNIQUE);
    await run("CREATE (:Host {id: 'a', n: 1}), (:Host {id: 'b', n: 2})");
    await run("MATCH (x:Host {n: 1}), (y:Host {n: 2}) SET x.id = 'b', y.id = 'a'");

    expect(await rows('MATCH (h:Host) RETURN h.n, h.id ORDER BY h.n')).toEqual([
      [1n, 'b'],
      [2n, 'a'],
    ]);
  });

  it('keeps a value unique where two transactions write it at once', async () => {
    await run(UNIQUE);
    const transaction = await store.transactions.begin(WRITE, NEVER);
    await transaction.run(statement("CREATE (:Host {id: 'a'})"), NEVER);
    await run("CREATE (:Server:Host {id: 'a'})");

    expect(await codeOf(transaction.commit())).toBe('Neo.TransientError.Transaction.Outdated');
    expect(await rows('MATCH (h:Host) RETURN count(*)')).toEqual([[1n]]);
  });

  it('tests what was begun before a constraint against it', async () => {
    await run("CREATE (:Host {id: 'a'})");
    const transaction = await store.transactions.begin(WRITE, NEVER);
    await transaction.run(statement("CREATE (:Host {id: 'a'})"), NEVER);
    await run(UNIQUE);

    expect(await codeOf(transaction.commit())).toBe('Neo.TransientError.Transaction.Outdated');
  });

  it('is refused where the data does not hold it, and has no effect then', async () => {
    await run("CREATE (:Host {id: 'a'}), (:Host {id: 'a'})");

    expect(await codeOf(run(UNIQUE))).toBe('Neo.ClientError.Schema.ConstraintCreationFailed');
    expect(await codeOf(run('CREATE CONSTRAINT FOR (h:Host) REQUIRE h.name IS NOT NULL'))).toBe(
      'Neo.ClientError.Schema.ConstraintCreationFailed',
    );
    await run("CREATE (:Host {id: 'a'})");
    expect(await rows('MATCH (h:Host) RETURN count(*)')).toEqual([[3n]]);
  });

  it('is decided by the first of two transactions that create one of the same name', async () => {
    await run("CREATE (:Host {id: 'a', zone: 'x'}), (:Host {id: 'b', zone: 'x'})");
    const [one, other] = [
      await store.transactions.begin(WRITE, NEVER),
      await store.transactions.begin(WRITE, NEVER),
    ];
    await one.run(statement(UNIQUE), NEVER);
    await other.run(statement('CREATE CONSTRAINT host_id FOR (h:Host) REQUIRE h.zone IS UNIQUE'), NEVER);
    const [committed, overtaken] = await Promise.all([codeOf(one.commit()), codeOf(other.commit())]);

    expect([committed, overtaken]).toEqual([undefined, 'Neo.TransientError.Transaction.Outdated']);
    expect(await rows('SHOW CONSTRAINTS YIELD name, properties')).toEqual([['host_id', ['id']]]);
  });

  it('leaves what was there where it is refused beside a removal', async () => {
    await run(UNIQUE);
    await run("CREATE (:Host {id: 'a', zone: 'x'}), (:Host {id: 'b', zone: 'x'})");
    const transaction = await store.transactions.begin(WRITE, NEVER);
    await transaction.run(statement('DROP CONSTRAINT host_id'), NEVER);
    await transaction.run(statement('CREATE CONSTRAINT FOR (h:Host) REQUIRE h.zone IS UNIQUE'), NEVER);

    expect(await codeOf(transaction.commit())).toBe('Neo.ClientError.Schema.ConstraintCreationFailed');
    expect(await codeOf(run("CREATE (:Host {id: 'a'})"))).toBe(
      'Neo.ClientError.Schema.ConstraintValidationFailed',
    );
  });

  it('requires the properties of a key and of existence, of nodes and relationships', async () => {
    await run('CREATE CONSTRAINT FOR (h:Host) REQUIRE (h.zone, h.id) IS NODE KEY');
    await run('CREATE CONSTRAINT FOR ()-[r:RUNS]-() REQUIRE r.since IS NOT NULL');
    await run("CREATE (:Host {zone: 'x', id: 1})-[:RUNS {since: 1}]->(:Service)");
    const violating = [
      "CREATE (:Host {zone: 'x'})",
      "CREATE (:Host {zone: 'x', id: 1})",
      'MATCH (h:Host) REMOVE h.id',
      'MATCH (h:Host) CREATE (h)-[:RUNS]->(:Service)',
      'MATCH ()-[r:RUNS]->() SET r.since = null',
    ];

    for (const text of violating) {
      expect(await codeOf(run(text))).toBe('Neo.ClientError.Schema.ConstraintValidationFailed');
    }
    await run("CREATE (h:Host {zone: 'x'}) SET h.id = 2");
    expect(await rows('MATCH (h:Host) RETURN count(*)')).toEqual([[2n]]);
  });

  it('refuses what it would not enforce', async () => {
    expect(await codeOf(run('CREATE CONSTRAINT FOR ()-[r:T]-() REQUIRE r.x IS UNIQUE'))).toBe(
      'Neo.ClientError.Schema.ConstraintCreationFailed',
    );
    await expect(run('CREATE CONSTRAINT FOR (n:A) REQUIRE n.x IS :: INTEGER')).rejects.toMatchObject({
      code: 'CYPHER_SYNTAX',
    });
  });

  it('is done when an explicit transaction commits, and not beside changes of the graph', async () => {
    const rolledBack = await store.transactions.begin(WRITE, NEVER);
    await rolledBack.run(statement(UNIQUE), NEVER);
    rolledBack.rollback();
    const committed = await store.transactions.begin(WRITE, NEVER);
    await committed.run(statement(UNIQUE), NEVER);
    await committed.commit();
    const mixed = await store.transactions.begin(WRITE, NEVER);
    await mixed.run(statement('DROP CONSTRAINT host_id'), NEVER);
    await mixed.run(statement('CREATE (:Host)'), NEVER);

    expect(await codeOf(mixed.commit())).toBe('Neo.ClientError.Transaction.ForbiddenDueToTransactionType');
    expect(await codeOf(run("UNWIND [1, 2] AS x CREATE (:Host {id: 'a'})"))).toBe(
      'Neo.ClientError.Schema.ConstraintValidationFailed',
    );
  });

  it('lists indexes as online, and constraints, also after a restart', async () => {
    await run('CREATE INDEX ip_id FOR (n:Ip) ON (n.id)');
    await run(UNIQUE);
    const shown = async (): Promise<unknown> => [
      await rows('SHOW INDEXES YIELD name, state, type, labelsOrTypes, properties, owningConstraint'),
      await rows('SHOW CONSTRAINTS YIELD name, type, properties, createStatement'),
    ];
    const before = await shown();
    await store.reopen();

    expect(before).toEqual([
      [
        ['host_id', 'ONLINE', 'RANGE', ['Host'], ['id'], 'host_id'],
        ['ip_id', 'ONLINE', 'RANGE', ['Ip'], ['id'], null],
      ],
      [
        [
          'host_id',
          'UNIQUENESS',
          ['id'],
          'CREATE CONSTRAINT `host_id` FOR (n:`Host`) REQUIRE (n.`id`) IS UNIQUE',
        ],
      ],
    ]);
    expect(await shown()).toEqual(before);
  });
});
