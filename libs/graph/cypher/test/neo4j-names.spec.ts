/** The functions and procedures of Neo4j: each works here, or is refused by its name with why. */
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { type DomainError } from '#platform/foundation';
import { findAggregate } from '../src/function/aggregates.ts';
import { findFunction } from '../src/function/functions.ts';
import { parse } from '../src/parser/parse.ts';
import { PROCEDURES } from '../src/procedure/procedures.ts';
import { compileStatement } from '../src/query/compile-query.ts';
import { SyntaxFault } from '../src/syntax/fault.ts';
import { rowsOf, valueOf } from './statement/run-statement.ts';

/** The names of a list, and those that it says are refused. */
function listed(file: string): { readonly offered: readonly string[]; readonly refused: readonly string[] } {
  const text = readFileSync(new URL(`data/${file}`, import.meta.url), 'utf8');
  const [offered = [], refused = []] = text.split('# refused\n').map((part) =>
    part
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line) => (line.includes('(') ? [line] : line.split(' '))),
  );
  return { offered, refused };
}

function faultOf(text: string): DomainError {
  try {
    compileStatement(parse(text).query);
  } catch (error) {
    if (error instanceof SyntaxFault) return error.toDomainError(text);
    throw error;
  }
  throw new Error(`expected a fault of ${text}`);
}

const functions = listed('neo4j-functions.txt');
const procedures = listed('neo4j-procedures.txt');

describe('a function of the manual', () => {
  it.each(functions.offered)('works: %s', (name) => {
    if (name.includes('(')) expect(rowsOf(`RETURN ${name} AS value`)).toEqual([expect.any(String)]);
    else expect(findFunction(name) ?? findAggregate(name)).toBeDefined();
  });

  it.each(functions.refused)('is refused by its name: %s', (name) => {
    const fault = faultOf(`RETURN ${name}('x') AS value`);

    expect(fault.message).toBe(`${name}() is not supported (line 1, column 8)`);
    expect(fault.details).toMatchObject({ kind: 'NotSupported', hint: expect.stringMatching(/\w/) });
  });
});

describe('a procedure of Neo4j', () => {
  it.each(procedures.offered)('works: %s', (name) => {
    expect(PROCEDURES.find(name)).toBeDefined();
  });

  it.each(procedures.refused)('is refused by its name: %s', (name) => {
    const fault = faultOf(`CALL ${name}('x')`);

    expect(fault.message).toBe(`${name}() is not supported (line 1, column 6)`);
    expect(fault.details).toMatchObject({
      code: 'Neo.ClientError.Procedure.ProcedureNotFound',
      hint: expect.stringMatching(/\w/),
    });
  });
});

describe('vector.similarity', () => {
  it.each([
    ['cosine([1, 0], [1.0, 0.0])', 'f1'],
    ['cosine([1, 0], [0, 1])', 'f0.5'],
    ['cosine([1, 0], [-1, 0])', 'f0'],
    ['euclidean([1, 2], [1, 2])', 'f1'],
    ['euclidean([0], [2])', 'f0.2'],
    ['cosine(null, [1])', 'null'],
    ['cosine([0], [1])', 'vector.similarity.cosine(): expected vectors that are not zero'],
    [
      'euclidean([1], [1, 2])',
      'vector.similarity.euclidean(): expected two lists of the same length, got 1 and 2',
    ],
    [
      'euclidean([], [])',
      'vector.similarity.euclidean(): expected two lists of the same length, got 0 and 0',
    ],
    ['cosine(["a"], [1])', 'vector.similarity.cosine(): expected lists of finite numbers'],
  ])('%s is %s', (call, expected) => {
    expect(valueOf(`vector.similarity.${call}`)).toBe(expected);
  });
});
