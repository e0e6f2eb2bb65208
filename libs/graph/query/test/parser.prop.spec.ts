import { describe, expect, it } from '@jest/globals';
import fc, { type Arbitrary } from 'fast-check';
import { readFileSync } from 'node:fs';
import { DomainError } from '#platform/foundation';
import { effort } from '#testing';
import type { Query } from '../src/ast/ast.ts';
import { printExpression } from '../src/ast/print-expression.ts';
import { print } from '../src/ast/print.ts';
import { bind } from '../src/binder/bind.ts';
import { parse } from '../src/parser/parser.ts';
import { explainFault } from '../src/syntax/fault.ts';
import { QUERY_BYTES_MAX } from '../src/syntax/limits.ts';
import { arbitraryQuery, withCondition } from './arbitrary-query.ts';

const FRAGMENTS = [
  'FIND host', 'FIND', 'find ', 'host', 'Host AS h', ' AS ', ' THAT RUNS service', 'THAT', '!', 'NOT ', '(', ')', '?',
  ' WITH ', ' WHERE ', 'os', 'h.os', '[a.b]', '`x y`', ' = ', ' != ', '<', '>>', '<<', '<>', '^=', '=~', " 'linux'",
  '"', "'", '`', '[', ']', '{1..3}', '{', '..', '}', ' AND ', ' OR ', ' IN ', '(1, 2)', ' BETWEEN ', ' IS NULL',
  ' EXISTS', ' LIKE ', ' STARTS WITH ', '$1', '$', 'NOW - 7d', 'null', 'true', '1.5e3', '-', '/', '+ 1', 'CONCAT(', 'date(2019-10-30)', 'date(', '${ param.x }', '--', '/*', '*/', ',', '|',
  '*', ' GROUP BY ', ' HAVING ', ' RETURN ', 'COUNT', 'COUNT(*)', 'DISTINCT ', ' ORDER BY ', ' DESC', ' SKIP ',
  ' LIMIT 5', 'SHORTEST PATH FROM ', 'ALL SHORTEST PATHS FROM ', 'EACH ', ' TO ', ' VIA ', 'RELATES TO', 'BLAST RADIUS FROM ', ' DEPTH 2', ';', '\n', '.',
  'EXPLAIN ', 'é', '\u{1F680}', '\ud800', '\0',
]; // prettier-ignore

/** The golden inputs without a line break: what the mutations start from. */
const SEEDS = ['parse-patterns', 'parse-conditions', 'parse-clauses', 'parse-paths', 'bind-names']
  .map((name) => readFileSync(new URL(`data/${name}.txt`, import.meta.url), 'utf8'))
  .flatMap((file) => file.split('\n'))
  .filter((line) => /^(EXPLAIN|PROFILE|FIND|SHORTEST|BLAST)/i.test(line));

const soup = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 20 }).map((parts) => parts.join(''));
const mutated = fc
  .tuple(fc.constantFrom(...SEEDS), fc.nat(), fc.nat({ max: 5 }), fc.constantFrom('', ...FRAGMENTS))
  .map(([seed, at, length, fragment]) => {
    const start = at % (seed.length + 1);
    return seed.slice(0, start) + fragment + seed.slice(start + length);
  });

/** A tree without its spans. */
function spanless(tree: unknown): unknown {
  return JSON.parse(JSON.stringify(tree, (key, value: unknown) => (key === 'span' ? undefined : value)));
}

function syntaxFault(run: () => unknown): DomainError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'PQL_SYNTAX') return error;
    throw error;
  }
}

function parsed(text: string): Query | undefined {
  let query: Query | undefined;
  syntaxFault(() => (query = parse(text)));
  return query;
}

describe('print', () => {
  it('prints text that parses to the same tree, for every tree', () => {
    const sameTree = (query: Query): void => {
      const printed = print(query);

      expect(spanless(parse(printed))).toEqual(spanless(query));
    };

    fc.assert(fc.property(arbitraryQuery, sameTree), { numRuns: effort(1_000, 250) });
  });

  it('prints text that parses to the same tree, for every valid text', () => {
    const sameTree = (text: string): void => {
      const query = parsed(text);
      fc.pre(query !== undefined);

      expect(spanless(parse(print(query)))).toEqual(spanless(query));
    };

    fc.assert(fc.property(mutated, sameTree), { numRuns: effort(1_000, 250) });
  });
});

describe('a condition that goes on behind the alias', () => {
  it('is the condition before it', () => {
    fc.assert(
      fc.property(withCondition, withCondition, (first, second) => {
        const [a, b] = [first, second].map((item) =>
          item.kind === 'or' ? `(${printExpression(item)})` : printExpression(item),
        );
        const behind = parse(`FIND host WITH ${a ?? ''} AS h AND ${b ?? ''} RETURN h`);

        expect(spanless(behind)).toEqual(
          spanless(parse(`FIND host WITH ${a ?? ''} AND ${b ?? ''} AS h RETURN h`)),
        );
      }),
      { numRuns: effort(1_000, 250) },
    );
  });
});

describe('parse and bind', () => {
  const refuseByPlace = (text: string): void => {
    const fault = syntaxFault(() => bind(parse(text), text));
    fc.pre(fault !== undefined);
    const { position, length, line, column } = fault.details as Record<string, number>;
    const lines = text.slice(0, position).split('\n');

    expect(position).toBeGreaterThanOrEqual(0);
    expect((position ?? 0) + (length ?? 0)).toBeLessThanOrEqual(text.length);
    expect([line, column]).toEqual([lines.length, (lines.at(-1)?.length ?? 0) + 1]);
    expect(explainFault(text, fault)).toContain('^');
  };
  const each = (texts: Arbitrary<string>): void =>
    fc.assert(fc.property(texts, refuseByPlace), { numRuns: effort(1_000, 250), maxSkipsPerRun: 1_000 });

  it('reject any text only with PQL_SYNTAX at a position in it', () => {
    each(fc.string({ unit: 'binary' }));
  });

  it('reject any sequence of tokens only with PQL_SYNTAX at a position in it', () => {
    each(soup);
  });

  it('reject any mutated query only with PQL_SYNTAX at a position in it', () => {
    each(mutated);
  });

  it('bind every printed tree or reject it with PQL_SYNTAX', () => {
    const bindOrRefuse = (query: Query): void => {
      const text = print(query);
      const tree = parse(text);
      const fault = syntaxFault(() => bind(tree, text));

      expect(fault?.code ?? 'PQL_SYNTAX').toBe('PQL_SYNTAX');
    };

    fc.assert(fc.property(arbitraryQuery, bindOrRefuse), { numRuns: effort(1_000, 250) });
  });

  it.each([
    ['open parentheses', 'FIND host WITH ', '('],
    ['groups', 'FIND host ', '('],
    ['groups of hops', 'FIND host ', '(THAT RUNS x '],
    ['negations', 'FIND host WITH ', 'NOT '],
    ['absent hops', 'FIND host ', 'THAT !RUNS x '],
    ['single quotes', 'FIND host WITH a = ', "'"],
    ['double quotes', 'FIND host WITH a = ', '"'],
    ['backquotes', 'FIND ', '`'],
    ['brackets', 'FIND host WITH ', '['],
    ['opened comments', 'FIND host ', '/*'],
    ['dashes', 'FIND host ', '-- \n'],
    ['backslashes', "FIND host WITH a = '", '\\'],
    ['dots', 'FIND host WITH a = 1', '.'],
    ['conditions', 'FIND host WITH a = 1', ' OR a = 1'],
    ['mixed conditions', 'FIND host WITH a = 1', ' OR a = 1 AND b = 2'],
    ['hops', 'FIND host', ' THAT RUNS x'],
    ['items', 'FIND host RETURN a', ', a'],
    ['sums', 'FIND host RETURN a', ' + a'],
    ['products in parentheses', 'FIND host RETURN a', ' * (a'],
    ['texts', 'FIND host RETURN ', 'CONCAT('],
    ['dates', 'FIND host WITH a = 1', ' OR a = date(2019)'],
    ['opened dates', 'FIND host ', 'date('],
    ['groups by', 'FIND host GROUP BY a', ', a'],
    ['digits', 'FIND host LIMIT ', '9'],
    ['patterns', "FIND host WITH a =~ 'x'", " OR a =~ '(a{1000})'"],
  ])('end on 64 KiB of %s without a stack overflow', (_what, head, piece) => {
    const text = head + piece.repeat(Math.floor((QUERY_BYTES_MAX - head.length) / piece.length));
    const fault = syntaxFault(() => bind(parse(text), text));

    expect(fault?.code ?? 'PQL_SYNTAX').toBe('PQL_SYNTAX');
    expect(text.length).toBeLessThanOrEqual(QUERY_BYTES_MAX);
  });
});
