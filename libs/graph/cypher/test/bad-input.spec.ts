/** Statements as large as they may be, and odd ones: compiled, or refused at their place. */
import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/foundation';
import { parse } from '../src/parser/parse.ts';
import { compileStatement } from '../src/query/compile-query.ts';
import { SyntaxFault } from '../src/syntax/fault.ts';

/** `compiled`, or the kind of error. */
function outcomeOf(text: string): string {
  try {
    compileStatement(parse(text).query);
    return 'compiled';
  } catch (error) {
    const fault = error instanceof SyntaxFault ? error.toDomainError(text) : error;
    if (!(fault instanceof DomainError)) throw fault;
    expect(fault.message.length).toBeLessThan(1_000);
    return String(fault.details?.['kind']);
  }
}

const many = (text: string, count = 100_000): string => text.repeat(count);
const numbered = (count: number, text: (at: number) => string, separator = ','): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(separator);

describe('nesting', () => {
  it.each([
    ['round brackets', `RETURN ${many('(')}1${many(')')}`],
    ['square brackets', `RETURN ${many('[')}1${many(']')}`],
    ['maps', `RETURN ${many('{a:')}1${many('}')}`],
    ['CASE', `RETURN ${many('CASE WHEN true THEN ', 30_000)}1${many(' END', 30_000)}`],
    ['NOT', `RETURN ${many('NOT ')}true`],
    ['signs', `RETURN ${many('- ')}1`],
    ['calls', `RETURN ${many('abs(')}1${many(')')}`],
    ['label expressions', `MATCH (n:${many('(')}A${many(')')}) RETURN n`],
    ['types', `RETURN 1 IS :: ${many('LIST<')}INTEGER${many('>')}`],
    ['subqueries', `RETURN ${many('EXISTS { MATCH (n) WHERE ', 20_000)}true${many('}', 20_000)}`],
    ['FOREACH', `${many('FOREACH (x IN [1] | ', 20_000)}CREATE (n)${many(')', 20_000)}`],
    ['accesses in brackets', `WITH {a: 1} AS x RETURN ${many('(', 190)}x${many(`${many('.a', 240)})`, 190)}`],
    ['tests in brackets', `RETURN ${many('(', 190)}1${many(`${many(' IS NULL', 240)})`, 190)}`],
  ])('%s beyond what a stack holds are refused', (_, text) => {
    expect(outcomeOf(text)).toBe('NestingTooDeep');
  });

  it.each([
    ['comprehensions', `RETURN ${many('[x IN ', 95)}[1]${many(' WHERE x > 0 | x + 1]', 95)}`],
    ['results of comprehensions', `RETURN ${many('[x IN [1] | 1 + size(', 60)}[1]${many(')]', 60)}`],
    ['CASE', `RETURN ${many('CASE WHEN true THEN ', 95)}1${many(' END', 95)}`],
    ['CASE of several values', `RETURN ${many('CASE 1 WHEN 1, < 2, IS NULL THEN ', 95)}1${many(' END', 95)}`],
    ['CASE as a subject', `RETURN ${many('CASE ', 95)}1${many(' WHEN 1, < 2 THEN 1 END', 95)}`],
    ['tests of a normal form', `RETURN 'a'${many(' IS NORMALIZED', 400)}`],
    ['subqueries', `RETURN ${many('EXISTS { MATCH (n) WHERE ', 95)}true${many('}', 95)}`],
    [
      'subqueries around a long list',
      `RETURN ${many('EXISTS { MATCH (n) WHERE ', 90)}n.x IN [${many('n.y,', 24_000)}1]${many('}', 90)}`,
    ],
    ['CALL', `${many('CALL { ', 150)}RETURN 1 AS x ${many('} RETURN x', 150)}`],
  ])('%s up to the limit are compiled', (_, text) => {
    expect(outcomeOf(text)).toBe('compiled');
  });
});

describe('a long statement', () => {
  it.each([
    ['AND', `RETURN ${many('true AND ', 49_000)}true`],
    ['OR over properties', `MATCH (n) WHERE ${many('n.x = 1 OR ', 16_000)}true RETURN n`],
    ['labels', `MATCH (n) WHERE ${many('n:A OR ', 24_000)}n:B RETURN n`],
    ['a list', `RETURN [${many('1,', 49_000)}1]`],
    ['a long text', `RETURN '${many('a', 1_000_000)}' AS a /* ${many('*', 40_000)} */`],
    ['a map', `RETURN {${numbered(24_000, (at) => `k${String(at)}: 1`)}}`],
    ['a sum', `RETURN ${many('1+', 49_000)}1`],
    [
      'a sum that groups and orders',
      `UNWIND [1] AS x RETURN ${many('x+', 24_000)}x AS y, count(*) AS c ORDER BY ${many('x+', 24_000)}x`,
    ],
    ['comparisons', `RETURN ${many('1<', 49_000)}1`],
    ['new nodes with names', `CREATE ${numbered(16_000, (at) => `(a${String(at)}:L)`)}`],
    ['columns', `RETURN ${numbered(24_000, (at) => `${String(at)} AS c${String(at)}`)}`],
    ['aggregates', `RETURN ${numbered(14_000, (at) => `count(${String(at)}) AS c${String(at)}`)}`],
    [
      'keys of an order',
      `UNWIND [1] AS x RETURN x ORDER BY ${numbered(24_000, (at) => `x + ${String(at)}`)}`,
    ],
    [
      'keys and aggregates',
      `UNWIND [1] AS x RETURN ${numbered(5_000, (at) => `x + ${String(at)} AS a${String(at)}, count(x + ${String(at)}) AS b${String(at)}`)}`,
    ],
    [
      'WITH * again and again',
      `${numbered(900, (at) => `WITH *, 1 AS a${String(at)}`, ' ').replace('*, ', '')} RETURN a0`,
    ],
    ['UNION', `${many('RETURN 1 AS x UNION ', 19_000)}RETURN 1 AS x`],
    ['items of SET', `MERGE (n) ON CREATE SET ${many('n.a=1,', 16_000)}n.b=2`],
    ['columns of SHOW', `SHOW INDEXES YIELD ${numbered(20_000, (at) => `name AS a${String(at)}`)}`],
  ])('of %s is compiled', (_, text) => {
    expect(outcomeOf(text)).toBe('compiled');
  });

  it.each([
    ['clauses', `WITH 1 AS x ${many('WITH x ', 60_000)}RETURN x`, 'StatementTooLong'],
    [
      'UNWIND',
      `${numbered(30_000, (at) => `UNWIND [1] AS x${String(at)}`, ' ')} RETURN 1`,
      'StatementTooLong',
    ],
    ['nodes to match', `MATCH ${numbered(30_000, (at) => `(a${String(at)})`)} RETURN 1`, 'StatementTooLong'],
    ['a chain to match', `MATCH ${many('(a)-->', 60_000)}(b) RETURN a`, 'StatementTooLong'],
    ['elements of a list', `RETURN [${many('1,')}1]`, 'StatementTooLong'],
    ['items of SET', `MERGE (n) ON CREATE SET ${many('n.a=1,', 150_000)}n.b=2`, 'StatementTooLong'],
    ['clauses of FOREACH', `FOREACH (x IN [1] | ${many('CREATE () ', 1_001)})`, 'StatementTooLong'],
    ['accesses', `RETURN x${many('.a')}`, 'NestingTooDeep'],
    ['digits', `RETURN ${many('9', 1_000_000)}`, 'IntegerOverflow'],
    ['symbols that are nothing', `RETURN ${many(';', 1_000_000)}`, 'UnexpectedSyntax'],
    ['one unknown name', `RETURN ${many('a', 1_000_000)}`, 'UndefinedVariable'],
    ['characters', `RETURN ${many('1', 1_048_577)}`, 'UnexpectedSyntax'],
  ])('of too many %s is refused', (_, text, kind) => {
    expect(outcomeOf(text)).toBe(kind);
  });
});

describe('the first token too many', () => {
  const most = `RETURN [${many('1,', 49_997)}1]`;

  it('is where a statement is refused', () => {
    expect(outcomeOf(`${most} AS\n x`)).toBe('compiled');
    expect(() => parse(`${most} AS\n x;`)).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ kind: 'StatementTooLong', line: 2, column: 3 }),
      }),
    );
  });

  it('does not hide a fault before it', () => {
    expect(outcomeOf(`RETURN 1 1 ${many('1,')}`)).toBe('UnexpectedSyntax');
  });
});
