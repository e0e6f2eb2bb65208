import { describe, expect, it } from '@jest/globals';
import { completed, type Steps } from '../steps.ts';
import { parseJsonBytes, parseJsonInSteps } from './json-bytes.ts';

const parse = (text: string): unknown => parseJsonBytes(Buffer.from(text));

describe('parseJsonBytes', () => {
  it('accepts a nesting depth of 128, and no more', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

    expect(parse(nested(128))).toBeInstanceOf(Array);
    expect(() => parse(nested(129))).toThrow('body: nested deeper than 128');
  });

  it('ignores brackets inside strings', () => {
    const text = JSON.stringify({ a: `\\"${'['.repeat(500)}`, b: '\\' });

    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it('reads __proto__ as an own property', () => {
    const value = parse('{"__proto__":{"a":1}}') as object;

    expect(Object.keys(value)).toEqual(['__proto__']);
    expect('a' in value).toBe(false);
  });

  it.each(['', '{', 'undefined', '"\\x"'])('rejects %j', (text) => {
    expect(() => parse(text)).toThrow(/^body: expected JSON/);
  });

  it('rejects bytes that are not UTF-8', () => {
    expect(() => parseJsonBytes(Buffer.from([0x22, 0xff, 0x22]))).toThrow('body: expected UTF-8');
  });
});

describe('parseJsonInSteps', () => {
  const items = Array.from({ length: 40_000 }, (_, i) => ({ key: `k${i}`, n: i }));
  const steps = (text: string, exactIntegers = false): Steps<unknown> =>
    parseJsonInSteps(Buffer.from(text), { exactIntegers });

  it('yields while it parses a large text, and returns the same value', () => {
    const text = JSON.stringify({ items });

    expect(Array.from(steps(text)).length).toBeGreaterThan(5);
    expect(completed(steps(text))).toEqual({ items });
  });

  it('parses a small text in one step', () => {
    expect(Array.from(steps('{"a":[1,2]}'))).toEqual([]);
    expect(completed(steps('{"a":[1,2]}'))).toEqual({ a: [1, 2] });
  });

  it('keeps integers exact in any slice', () => {
    const text = JSON.stringify({ items, last: 1 }).replace('"last":1', '"last":9007199254740993');

    expect(completed(steps(text, true))).toMatchObject({ last: 9_007_199_254_740_993n });
    expect(completed(steps(text))).toMatchObject({ last: 9_007_199_254_740_992 });
  });

  it.each([
    ['malformed text', (text: string) => text.slice(0, -1), 'body: expected JSON, got malformed text'],
    ['two values', (text: string) => `${text}${text}`, 'body: expected JSON, got malformed text'],
    [
      'deep nesting',
      (text: string) => `${'['.repeat(128)}${text}${']'.repeat(128)}`,
      'body: nested deeper than 128',
    ],
  ])('rejects %s', (_what, spoil, message) => {
    expect(() => completed(steps(spoil(JSON.stringify(items))))).toThrow(message);
  });
});
