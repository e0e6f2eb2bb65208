import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseQueryYaml, parseSavedQuery, queryYaml } from './query-set.ts';

/** Any line of text, including words that YAML reads as another type. */
const line = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
    fc.constantFrom('yes', '1e3', '- a', '#', '~'),
  )
  .map((text) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/gu, '').trim())
  .filter((text) => text !== '');
const lines = fc.array(line, { maxLength: 4 }).map((each) => each.join('\n'));
const scalar = fc.oneof(fc.boolean(), fc.integer(), line, fc.constant(''));
const query = fc
  .record({
    name: line,
    description: lines,
    tags: fc.array(line, { maxLength: 3 }),
    values: fc.array(fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), { maxLength: 3 }),
  })
  .map(({ values, ...fields }) => {
    const parameters = Object.fromEntries(
      values.map((value, index) => [`p${index}`, { type: typeOf(value), default: value }]),
    ) as unknown;
    const conditions = values.map((_value, index) => `a${index} IN $p${index}`);
    const text = ['FIND host', ...(conditions.length > 0 ? [`WITH ${conditions.join('\n  AND ')}`] : [])];
    return parseSavedQuery({ ...fields, text: text.join(' '), parameters });
  });

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}

describe('a file of saved queries', () => {
  it('parses to the queries it was written from', () => {
    fc.assert(
      fc.property(fc.uniqueArray(query, { selector: ({ name }) => name, maxLength: 5 }), (queries) => {
        expect(parseQueryYaml(queryYaml(queries), 'queries.yaml')).toEqual(queries);
      }),
    );
  });
});
