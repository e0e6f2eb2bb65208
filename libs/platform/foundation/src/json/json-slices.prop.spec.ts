import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { completed } from '../steps.ts';
import { parseExactJson } from './exact-json.ts';
import { parseInSlices } from './json-slices.ts';

const RUNS = { numRuns: 3_000 };

function outcomeOf(work: () => unknown): string {
  try {
    return written(work());
  } catch (error) {
    if (error instanceof SyntaxError) return 'refused';
    throw error;
  }
}

/** Keeps the order of members; Jest's equality treats a member named `constructor` as a class. */
function written(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? `${member}n` : member,
  );
}

function inSlices(text: string, sliceBytes: number): unknown {
  return completed(parseInSlices(Buffer.from(text), { sliceBytes, depthMax: 99 }));
}

const blank = fc.constantFrom('', '', ' ', '\n\t', '\r');
const keys = fc.constantFrom('a', 'b', '', '__proto__', 'constructor', '1', 'ä,"]', '\\');

/** JSON text with blanks and repeated members. */
const jsonText = fc.letrec<{ value: string; list: string; map: string; scalar: string }>((tie) => ({
  scalar: fc.oneof(
    fc.constantFrom(
      'null',
      'true',
      '0',
      '-1.5e3',
      '9007199254740993',
      '"x"',
      '[]',
      '{}',
      '"\\"[,{"',
      '"ä\\\\"',
    ),
    fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text)),
  ),
  list: fc
    .tuple(blank, fc.array(tie('value'), { maxLength: 6 }))
    .map(([gap, items]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
  map: fc.tuple(blank, fc.array(fc.tuple(keys, tie('value')), { maxLength: 6 })).map(([gap, members]) => {
    const parts = members.map(([key, value]) => `${JSON.stringify(key)}${gap}:${gap}${value}`);
    return `{${gap}${parts.join(`,${gap}`)}${gap}}`;
  }),
  value: fc.oneof({ depthSize: 'medium' }, tie('scalar'), tie('list'), tie('map')),
})).value;

const sliceBytes = fc.integer({ min: 0, max: 40 });

describe('parseInSlices', () => {
  it('returns the value of JSON.parse for any slice size', () => {
    fc.assert(
      fc.property(jsonText, sliceBytes, blank, (text, bytes, gap) => {
        const whole = `${gap}${text}${gap}`;

        expect(written(inSlices(whole, bytes))).toBe(written(JSON.parse(whole)));
      }),
      RUNS,
    );
  });

  it('rejects the texts that JSON.parse rejects', () => {
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      removed: fc.integer({ min: 0, max: 2 }),
      added: fc.constantFrom(
        '',
        ',',
        ',,',
        ']',
        '[',
        '}',
        '{',
        '"',
        ':',
        '1',
        '"a":',
        '[],',
        '{}',
        ' [',
        '\\',
        '}{',
        '][',
      ),
    });
    fc.assert(
      fc.property(
        jsonText,
        sliceBytes,
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        (text, bytes, edits) => {
          let broken = text;
          for (const { at, removed, added } of edits) {
            const position = Math.floor(at * broken.length);
            broken = broken.slice(0, position) + added + broken.slice(position + removed);
          }

          expect(outcomeOf(() => inSlices(broken, bytes))).toBe(outcomeOf(() => JSON.parse(broken)));
        },
      ),
      RUNS,
    );
  });

  it('keeps integers exact when requested', () => {
    fc.assert(
      fc.property(jsonText, sliceBytes, (text, bytes) => {
        const steps = parseInSlices(Buffer.from(text), {
          sliceBytes: bytes,
          depthMax: 99,
          parse: parseExactJson,
        });

        expect(written(completed(steps))).toBe(written(parseExactJson(text)));
      }),
    );
  });

  it.each([
    ['{"a":1[1,2]}'],
    ['[1,2][3,4]'],
    ['[1,2'],
    ['[[1,2],]'],
    ['[[1,2] [3,4]]'],
    ['{"a":[1,2] "b":[3,4]}'],
    ['{"a":[1,2],"b":3,}'],
    ['{"a":[1,2]},'],
    ['[1,2}'],
    ['[1,2]]'],
    ['1,2'],
  ])('rejects %s', (text) => {
    expect(() => inSlices(text, 0)).toThrow(SyntaxError);
  });

  it('yields after each slice', () => {
    const text = JSON.stringify(Array.from({ length: 1_000 }, (_, i) => ({ a: i, b: [i] })));
    const steps = parseInSlices(Buffer.from(text), { sliceBytes: 1_000, depthMax: 3 });

    expect(Array.from(steps).length).toBeGreaterThanOrEqual(Math.floor(text.length / 1_100));
  });
});
