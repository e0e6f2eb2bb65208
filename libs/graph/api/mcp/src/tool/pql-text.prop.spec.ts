import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse, print } from '#graph/query';
import { containsPattern, endText, literalText, nameText, viaText } from './pql-text.ts';

const words = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  fc
    .array(fc.constantFrom("'", '"', '`', '\\', '$1', ';', '--', '/*', ' OR ', '\n', 'FIND', '%'), {
      minLength: 1,
      maxLength: 8,
    })
    .map((parts) => parts.join('')),
);

describe('untrusted text in PQL', () => {
  it('is preserved as a string and as a name', () => {
    fc.assert(
      fc.property(words, words, (name, type) => {
        const query = parse(`FIND SHORTEST PATH FROM ${endText({ name })} TO ${endText({ name, type })}`);

        const texts: unknown[] = [];
        JSON.stringify(query, (_key, value: unknown) => {
          if (typeof value === 'string') texts.push(value);
          return value;
        });
        expect(texts.filter((text) => text === name).length).toBeGreaterThanOrEqual(3);
        expect(texts).toContain(type);
      }),
    );
  });

  it('gives a query that is equal after printing and parsing', () => {
    const directions = fc.constantFrom('out' as const, 'in' as const, 'any' as const);
    fc.assert(
      fc.property(words, fc.array(words, { maxLength: 3 }), directions, (name, verbs, direction) => {
        const query = parse(
          `FIND BLAST RADIUS FROM ${endText({ name })}${viaText({ verbs, direction, depth: 3 })}`,
        );

        expect(print(parse(print(query)))).toBe(print(query));
      }),
    );
  });

  it('is quoted', () => {
    expect(nameText('a`b')).toBe('`a``b`');
    expect(literalText("it's \\")).toBe(String.raw`'it\'s \\'`);
    expect(containsPattern(String.raw`50%_\x`)).toBe(String.raw`%50\%\_\\x%`);
    expect(viaText({ direction: 'in' })).toBe(' VIA RELATES TO <<');
  });
});
