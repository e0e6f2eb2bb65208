/** What Neo4j has and Plexus does not: refused by its name, at its place, with what serves instead. */
import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/foundation';
import { parse } from '../src/parser/parse.ts';
import { rowsOf } from './statement/run-statement.ts';

function faultOf(text: string): Readonly<Record<string, unknown>> {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof DomainError) return { message: error.message, ...error.details };
    throw error;
  }
  return {};
}

const ADMINISTRATION = 'Neo.ClientError.Statement.UnsupportedAdministrationCommand';

describe('a statement that administers a server', () => {
  it.each([
    ['CREATE DATABASE x IF NOT EXISTS', 'CREATE DATABASE', 'over Bolt'],
    ['CREATE OR REPLACE DATABASE x', 'CREATE OR REPLACE DATABASE', 'over Bolt'],
    ['CREATE COMPOSITE DATABASE x', 'CREATE COMPOSITE DATABASE', 'over Bolt'],
    ['DROP DATABASE x', 'DROP DATABASE', 'over Bolt'],
    ['ALTER DATABASE x SET ACCESS READ ONLY', 'ALTER DATABASE', 'over Bolt'],
    ['STOP DATABASE x', 'STOP DATABASE', 'over Bolt'],
    ['CREATE ALIAS a FOR DATABASE neo4j', 'CREATE ALIAS', 'over Bolt'],
    ['SHOW ALIASES FOR DATABASE', 'SHOW ALIASES', 'over Bolt'],
    [`CREATE USER a SET PASSWORD 'secret-word'`, 'CREATE USER', 'plexus keys'],
    ['ALTER CURRENT USER SET PASSWORD FROM "a" TO "b"', 'ALTER CURRENT USER', 'plexus keys'],
    ['SHOW USERS', 'SHOW USERS', 'plexus keys'],
    ['SHOW CURRENT USER', 'SHOW CURRENT USER', 'plexus keys'],
    ['SHOW USER a PRIVILEGES', 'SHOW USER', 'plexus keys'],
    ['SHOW POPULATED ROLES', 'SHOW POPULATED', 'plexus keys'],
    ['GRANT ROLE a TO b', 'GRANT', 'plexus keys'],
    ['DENY READ {*} ON GRAPH neo4j TO a', 'DENY', 'plexus keys'],
    ['SHOW SERVERS', 'SHOW SERVERS', 'shared store'],
    ['SHOW TRANSACTIONS YIELD *', 'SHOW TRANSACTIONS', 'RESET'],
    ['TERMINATE TRANSACTION "a"', 'TERMINATE TRANSACTION', 'RESET'],
    ['SHOW SETTINGS', 'SHOW SETTINGS', 'plexus serve --help'],
    [
      'USING PERIODIC COMMIT 500 LOAD CSV FROM "a" AS r CREATE ()',
      'USING PERIODIC COMMIT',
      'IN TRANSACTIONS',
    ],
  ])('%s is refused as %s', (text, name, hint) => {
    const fault = faultOf(text);

    expect(fault).toMatchObject({
      message: `${name} is not supported (line 1, column 1)`,
      kind: 'NotSupported',
      length: name.length,
      hint: expect.stringContaining(hint),
    });
    if (!text.includes('CSV')) expect(fault['code']).toBe(ADMINISTRATION);
    expect(JSON.stringify(fault)).not.toContain('secret-word');
  });

  it('is not what only looks like one', () => {
    expect(rowsOf('CREATE user = (:A)-[:R]->(:B) RETURN length(user)')).toEqual(['1']);
    expect(rowsOf('CREATE (user:A) RETURN labels(user)')).toEqual([`['A']`]);
  });
});

describe('what has another place here', () => {
  it.each([
    [
      'LOAD CSV WITH HEADERS FROM "file:///a.csv" AS row RETURN row',
      'LOAD CSV is not supported',
      'UNWIND $rows',
    ],
    ['UNWIND [1] AS x LOAD CSV FROM "a" AS r RETURN r', 'LOAD CSV is not supported', 'UNWIND $rows'],
    [
      'CREATE VECTOR INDEX v FOR (n:A) ON (n.e) OPTIONS {indexConfig: {}}',
      'vector indexes are not supported',
      'similarity',
    ],
  ])('%s', (text, message, hint) => {
    expect(faultOf(text)).toMatchObject({
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });
});

describe('USE', () => {
  it.each(['USE neo4j RETURN 1 AS x', 'USE Plexus MATCH (n) RETURN 1 AS x UNION USE neo4j RETURN 1 AS x'])(
    '%s names the database',
    (text) => {
      expect(rowsOf(text)).toEqual(['1']);
    },
  );

  it('stands before SHOW, before commands of the schema, and in CALL', () => {
    expect(faultOf('USE neo4j SHOW INDEXES')).toEqual({});
    expect(faultOf('EXPLAIN USE neo4j CREATE INDEX FOR (n:A) ON (n.a)')).toEqual({});
    expect(rowsOf('CALL { USE neo4j RETURN 1 AS x } RETURN x')).toEqual(['1']);
  });

  it.each([
    ['USE other MATCH (n) RETURN n', 'there is no database other (line 1, column 5)'],
    ['USE composite.part RETURN 1', 'there is no database composite.part (line 1, column 5)'],
    [`USE graph.byName('neo4j') RETURN 1`, 'there is no database graph.byName(…) (line 1, column 5)'],
  ])('%s is refused', (text, message) => {
    expect(faultOf(text)).toMatchObject({ message, code: 'Neo.ClientError.Database.DatabaseNotFound' });
  });
});

describe('SHOW of some', () => {
  it.each([
    ['SHOW DATABASE neo4j YIELD currentStatus', [`'online'`]],
    ['SHOW DATABASE neo4j YIELD *', [expect.stringMatching(/^'neo4j' \| 'standard'/)]],
    ['SHOW DATABASE neo4j YIELD currentStatus AS s WHERE s = "offline" RETURN *', []],
    ['SHOW DATABASE other', []],
    ['SHOW TEXT INDEXES', []],
    ['SHOW VECTOR INDEXES YIELD name', []],
  ])('%s', (text, rows) => {
    expect(rowsOf(text)).toEqual(rows);
  });
});
