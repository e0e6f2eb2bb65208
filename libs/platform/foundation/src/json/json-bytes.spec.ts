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

  it.each([
    ['{"a":1,"b":2,"a":3}', '"a" twice, again in line 1'],
    ['{"x":[{"k":1},\n {"k":1 , "k" :2}]}', '"k" twice, again in line 2'],
    ['{"a":1,"\\u0061":2}', '"a" twice'],
    ['{"__proto__":1,"__proto__":2}', '"__proto__" twice'],
    [`{${Array.from({ length: 300 }, (_, i) => `"k${i}":1`).join()},"k7":2}`, '"k7" twice'],
  ])('rejects %s, of which the last value would be kept', (text, message) => {
    expect(() => parse(text)).toThrow(`body: expected each name once in an object, got ${message}`);
  });

  it.each([
    '{"a":{"a":{"a":[{"a":1},{"a":2}]}},"b":{"a":1}}',
    '{"a":"b:","b":":","c":"\\":","d":["a","a"]}',
    '{"Aa":1,"BB":2,"a\\n":3}',
    `{${Array.from({ length: 300 }, (_, i) => `"k${i}":{"k${i}":1}`).join()}}`,
  ])('accepts %s, whose objects have each name once', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
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

  it('rejects a name twice in one object, in any two slices', () => {
    const text = JSON.stringify({ items, other: items });

    expect(completed(steps(text))).toEqual({ items, other: items });
    expect(() => completed(steps(text.replace('"other"', '"items"')))).toThrow(
      'body: expected each name once in an object, got "items" twice, again in line 1',
    );
    expect(() => completed(steps(text.replace('"n":39999', '"key":1')))).toThrow('got "key" twice');
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
