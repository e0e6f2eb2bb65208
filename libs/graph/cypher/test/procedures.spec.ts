/** Procedures and SHOW. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { rowsOf } from './statement/run-statement.ts';
import { emptyGraph } from './statement/empty-graph.ts';

describe('procedures over the graph', () => {
  let graph: ReturnType<typeof emptyGraph>;

  beforeEach(() => {
    graph = emptyGraph();
    rowsOf(
      `CREATE (a:Person:Admin {name: 'a', age: 1})-[:KNOWS {since: 2000}]->(b:Person {name: 'b'}), (b)-[:knows]->(c)`,
      graph,
    );
  });

  it.each([
    ['CALL db.labels()', [`'Admin'`, `'Person'`]],
    ['CALL db.labels', [`'Admin'`, `'Person'`]],
    ['CALL db.relationshipTypes() YIELD relationshipType AS t RETURN collect(t)', [`['KNOWS','knows']`]],
    ['CALL db.propertyKeys() YIELD *', [`'age'`, `'name'`, `'since'`]],
    ['CALL db.labels() YIELD label WHERE label STARTS WITH "P" RETURN label', [`'Person'`]],
    [
      'MATCH (n:Admin) CALL db.labels() YIELD label RETURN n.name, label',
      [`'a' | 'Admin'`, `'a' | 'Person'`],
    ],
    [
      'CALL db.schema.nodeTypeProperties() YIELD nodeLabels, propertyName, propertyTypes, mandatory',
      [
        `[] | null | null | false`,
        `['Admin','Person'] | 'age' | ['INTEGER'] | true`,
        `['Admin','Person'] | 'name' | ['STRING'] | true`,
        `['Person'] | 'name' | ['STRING'] | true`,
      ],
    ],
    [
      'CALL db.schema.relTypeProperties()',
      [":`KNOWS`' | 'since' | ['INTEGER'] | true", ":`knows`' | null | null | false"].map((row) => `'${row}`),
    ],
    [
      'CALL db.schema.visualization() YIELD relationships UNWIND relationships AS r RETURN r.from, r.type, r.to',
      [`'Admin' | 'KNOWS' | 'Person'`, `'Person' | 'KNOWS' | 'Person'`],
    ],
    ['CALL dbms.components() YIELD name, versions', [`'Neo4j Kernel' | ['5.26.0']`]],
    ['CALL db.ping()', ['true']],
    ['CALL db.awaitIndexes(300)', []],
    ['CALL db.awaitIndexes() RETURN 1 AS one', ['1']],
    ['OPTIONAL CALL db.labels() YIELD label WHERE label = "x" RETURN label', ['null']],
    [
      `CALL dbms.procedures() YIELD name, signature WHERE name = 'db.labels' RETURN signature`,
      [`'db.labels() :: (label :: STRING)'`],
    ],
    [
      `CALL dbms.functions() YIELD name, signature WHERE name = 'substring' RETURN signature`,
      [`'substring(a, b [, c])'`],
    ],
  ])('%s', (text, rows) => {
    expect(rowsOf(text, graph)).toEqual(rows);
  });

  it.each([
    ['CALL db.label()', 'there is no procedure db.label() (line 1, column 6)'],
    ['CALL db.labels(1)', 'db.labels() takes 0 arguments, got 1 (line 1, column 1)'],
    ['CALL db.labels() YIELD lable RETURN 1', 'db.labels() has no column `lable` (line 1, column 24)'],
    [
      'MATCH (n) CALL db.labels YIELD label RETURN label',
      'a call between other clauses has its arguments in parentheses (line 1, column 11)',
    ],
    ['CALL db.awaitIndexes("x")', 'expected an argument of the type INTEGER (line 1, column 22)'],
    [
      'WITH 1 AS label CALL db.labels() YIELD label RETURN label',
      'the variable `label` is already defined (line 1, column 40)',
    ],
    ['CALL `show indexes`() RETURN 1', [] as readonly string[]],
  ])('%s is refused or empty', (text, message) => {
    expect(rowsOf(text, graph)).toEqual(message);
  });
});

describe('SHOW', () => {
  it.each([
    ['SHOW INDEXES', []],
    ['SHOW CONSTRAINTS YIELD *', []],
    [
      `SHOW DATABASES YIELD name, currentStatus ORDER BY name DESC`,
      [`'system' | 'online'`, `'neo4j' | 'online'`],
    ],
    [`SHOW DATABASE system YIELD name`, [`'system'`]],
    [`SHOW DATABASES YIELD name AS n WHERE n = 'system' RETURN n, 1 AS one`, [`'system' | 1`]],
    [`SHOW PROCEDURES YIELD name WHERE name STARTS WITH 'db.schema' RETURN count(*)`, ['3']],
    [
      `SHOW FUNCTIONS WHERE name = 'percentileCont'`,
      [`'percentileCont' | 'Aggregating' | 'percentileCont(value, percentile)'`],
    ],
    ['SHOW ALL FUNCTIONS YIELD name, aggregating WHERE aggregating RETURN count(name)', ['10']],
    ['SHOW PROCEDURES EXECUTABLE YIELD name ORDER BY name SKIP 1 LIMIT 1', [`'db.awaitIndexes'`]],
    [
      'SHOW INDEXS',
      'expected INDEXES, CONSTRAINTS, PROCEDURES, FUNCTIONS or DATABASES, found `INDEXS` (line 1, column 6)',
    ],
    ['SHOW INDEXES YIELD nam', 'show indexes() has no column `nam` (line 1, column 20)'],
  ])('%s', (text, rows) => {
    expect(rowsOf(text)).toEqual(rows);
  });
});
