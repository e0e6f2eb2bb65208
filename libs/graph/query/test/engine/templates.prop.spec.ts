/** A text that is run again with other parameters is not planned anew, and answers as if it were. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { QueryEngine } from '#graph/query';
import { arbitraryFind, arbitraryGraph, findText, NaiveReader } from '#graph/testing';
import { effort } from '#testing';

const ALL = 100_000;
const SETS = 5;
const vocabulary = { hasClass: () => true, hasVerb: () => true };
const runs = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? effort(300, 60)) };

const LITERAL =
  /(=~|STARTS WITH|I?LIKE|\^=|CONTAINS|[<>]=?|!?=) (?:'[^']*'|\d+)|(\bIN) \('linux', 'windows', 2\)/g;
const VALUES = {
  list: [[], ['linux'], ['windows', 2], ['linux', 'windows', 'macos', 1, true]],
  text: ['linux', 'l%x', 'in.*s', 'Li', ''],
  scalar: ['linux', 'windows', 'a', 1, 2, true, null],
};

type Kind = keyof typeof VALUES;

/** The same with parameters in place of literals, and of what kind each is. */
function withParameters(text: string): { readonly pql: string; readonly kinds: readonly Kind[] } {
  const kinds: Kind[] = [];
  const pql = text.replaceAll(LITERAL, (_, operator?: string, list?: string) => {
    if (list !== undefined) kinds.push('list');
    else kinds.push(/[A-Z~^]/.test(operator ?? '') ? 'text' : 'scalar');
    return `${list ?? operator ?? ''} $${String(kinds.length)}`;
  });
  return { pql, kinds };
}

describe('a cached plan', () => {
  it('gives the same answer for each set of parameters as a fresh plan', () => {
    const suffix = fc.constantFrom('', ' RETURN COUNT', ' SKIP $skip LIMIT $limit');
    const choices = fc.array(fc.array(fc.nat(), { minLength: 40, maxLength: 40 }), {
      minLength: SETS,
      maxLength: SETS,
    });
    fc.assert(
      fc.property(arbitraryGraph, arbitraryFind, suffix, choices, (data, parts, end, sets) => {
        const { pql, kinds } = withParameters(findText(parts).text + end);
        fc.pre(kinds.length > 0);
        const reader = new NaiveReader(data);
        const engine = new QueryEngine({ vocabulary });
        // Twice, for what is kept of a plan with its parameters.
        for (const [first = 0, second = 0, ...chosen] of [...sets, ...sets]) {
          const values = kinds.map(
            (kind, at) => VALUES[kind][(chosen[at % chosen.length] ?? 0) % VALUES[kind].length],
          );
          const named = values.map((value, at) => [String(at + 1), value] as const);
          const params = { ...Object.fromEntries(named), skip: first % 3, limit: 1 + (second % 5) };

          const again = engine.runSync(reader, pql, { params });
          const alone = new QueryEngine({ vocabulary }).runSync(reader, pql, { params, planner: 'off' });

          expect(again.page(0, ALL)).toEqual(alone.page(0, ALL));
          expect(again.count).toBe(alone.count);
          expect(again.warnings).toEqual(alone.warnings);
        }
      }),
      runs,
    );
  });
});
