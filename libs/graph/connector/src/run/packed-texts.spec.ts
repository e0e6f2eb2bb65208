import { describe, expect, it } from '@jest/globals';
import { PackedTexts } from './packed-texts.ts';

/** More than two blocks. */
const COUNT = 3_000;
const textOf = (index: number): string =>
  JSON.stringify({ name: `USER${index}`, note: `zeile\n${'ü€ß'.repeat(90)}` });
const ascending = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => textOf(index));

function packed(count: number): PackedTexts {
  const texts = new PackedTexts();
  for (let index = 0; index < count; index++) texts.put(`n${index}`, textOf(index));
  return texts;
}

describe('packed texts', () => {
  it('are those that were put, in their order, and found by name', () => {
    const texts = packed(COUNT);

    expect(texts.size).toBe(COUNT);
    expect([...texts]).toEqual(ascending(COUNT));
    for (const index of [0, 1, 1_499, COUNT - 2, COUNT - 1])
      expect(texts.get(`n${index}`)).toBe(textOf(index));
    expect([texts.has('n1'), texts.has('m1'), texts.get('m1')]).toEqual([true, false, undefined]);
  });

  it('keep the first text of a name, and tell an equal one from another', () => {
    const texts = packed(COUNT);

    expect([texts.put('n7', textOf(7)), texts.put('n7', textOf(8))]).toEqual(['known', 'other']);
    expect(texts.put('last', textOf(8))).toBe('new');
    expect(texts.put('last', textOf(9))).toBe('other');
    expect([...texts]).toEqual([...ascending(COUNT), textOf(8)]);
  });

  it('can be put while they are read, and are read once each', () => {
    const texts = packed(10);
    const read: string[] = [];
    for (const text of texts) {
      read.push(text);
      if (texts.size < COUNT) texts.put(`n${texts.size}`, textOf(texts.size));
    }

    expect(read).toEqual(ascending(COUNT));
  });

  it('take less than a third of their characters when they resemble each other', () => {
    expect(3 * packed(COUNT).bytes).toBeLessThan(ascending(COUNT).join('').length);
  });
});
