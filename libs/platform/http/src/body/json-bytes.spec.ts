import { describe, expect, it } from '@jest/globals';
import { parseJsonBytes } from './json-bytes.ts';

const parse = (text: string): unknown => parseJsonBytes(Buffer.from(text));

describe('parseJsonBytes', () => {
  it('takes what is nested 128 deep, and no deeper', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

    expect(parse(nested(128))).toBeInstanceOf(Array);
    expect(() => parse(nested(129))).toThrow('body: nested deeper than 128');
  });

  it('counts no brackets inside strings', () => {
    const text = JSON.stringify({ a: `\\"${'['.repeat(500)}`, b: '\\' });

    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it('makes an own property of __proto__', () => {
    const value = parse('{"__proto__":{"a":1}}') as object;

    expect(Object.keys(value)).toEqual(['__proto__']);
    expect('a' in value).toBe(false);
  });

  it.each(['', '{', 'undefined', '"\\x"'])('refuses %j', (text) => {
    expect(() => parse(text)).toThrow(/^body: expected JSON/);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => parseJsonBytes(Buffer.from([0x22, 0xff, 0x22]))).toThrow('body: expected UTF-8');
  });
});
