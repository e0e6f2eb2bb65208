import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatTraceParent, parseTraceParent } from './trace-parent.ts';

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...Array.from('0123456789abcdef')), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''));
const id = (length: number) => hex(length).filter((text) => !/^0+$/.test(text));

describe('parseTraceParent', () => {
  it('reads a formatted traceparent', () => {
    fc.assert(
      fc.property(id(32), id(16), fc.boolean(), (traceId, spanId, isSampled) => {
        const parent = { traceId, spanId, isSampled };

        expect(parseTraceParent(formatTraceParent(parent))).toEqual(parent);
      }),
    );
  });

  it('returns undefined when a character is wrong, missing or added', () => {
    fc.assert(
      fc.property(id(32), id(16), fc.nat(54), fc.string({ maxLength: 2 }), (traceId, spanId, at, text) => {
        const whole = formatTraceParent({ traceId, spanId, isSampled: true });
        const changed = whole.slice(0, at) + text + whole.slice(at + 1);
        const parsed = parseTraceParent(changed);

        if (parsed !== undefined) {
          expect(parsed.traceId).toMatch(/^[0-9a-f]{32}$/);
          expect(parsed.spanId).toMatch(/^[0-9a-f]{16}$/);
          expect(changed.length).toBe(55);
        }
      }),
    );
  });

  it.each([
    ['', 'empty'],
    ['00-00000000000000000000000000000000-b7ad6b7169203331-01', 'a trace of zeros'],
    ['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', 'a span of zeros'],
    ['00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01', 'capitals'],
    ['ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'the version that is none'],
    ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more', 'more than version 00 has'],
    ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, 00-', 'two in one'],
    [`01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-${'a'.repeat(600)}`, 'without end'],
  ])('returns undefined for %j: %s', (text) => {
    expect(parseTraceParent(text)).toBeUndefined();
  });

  it('reads the known part of a later version', () => {
    expect(
      parseTraceParent('cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03-what-the-future'),
    ).toEqual({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      isSampled: true,
    });
  });
});
