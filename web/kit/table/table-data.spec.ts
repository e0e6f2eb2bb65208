import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cellText, copiedText, orderOf, shownText } from './table-data.ts';

const value = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string());

describe('orderOf', () => {
  it('keeps the order of the rows until the user selects one', () => {
    expect([...orderOf([[3], [1], [2]], undefined)]).toEqual([0, 1, 2]);
  });

  it('sorts numbers by value, texts by their numbers, and missing values last, in both directions', () => {
    const rows = [['web-10'], [null], ['web-9'], [2], [undefined], [10]];

    const ascending = [...orderOf(rows, { column: 0, isDescending: false })];
    const descending = [...orderOf(rows, { column: 0, isDescending: true })];

    expect(ascending).toEqual([3, 5, 2, 0, 1, 4]);
    expect(descending).toEqual([0, 2, 5, 3, 1, 4]);
  });

  it('contains every row once', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(value)), fc.boolean(), (rows, isDescending) => {
        const order = [...orderOf(rows, { column: 0, isDescending })];

        expect(order.sort((a, b) => a - b)).toEqual(rows.map((_row, index) => index));
      }),
    );
  });
});

describe('cellText', () => {
  it.each([
    [null, ''],
    [false, 'false'],
    [1.5, '1.5'],
    [['a', 1], '["a",1]'],
    [{ display_name: 'web-01', key: 'w' }, 'web-01'],
    [{ verb: 'RUNS' }, 'RUNS'],
  ])('shows %j as %j', (shown, text) => {
    expect(cellText(shown)).toBe(text);
  });
});

describe('shownText', () => {
  it('shows characters that would reorder the following ones', () => {
    expect(shownText('\u202Egnp.exe')).toBe('‹U+202E›gnp.exe');
    expect(shownText('a\u2066b\u2069c')).toBe('a‹U+2066›b‹U+2069›c');
    expect(shownText('été عربى')).toBe('été عربى');
  });
});

describe('copied rows', () => {
  it('mark what a spreadsheet would compute as text, and keep numbers', () => {
    const rows = [['=1+1', -5, '-5', '=a\tb']];

    const text = copiedText({ columns: ['+a', 'b', 'c', 'd'], rows }, { shown: [0, 1, 2, 3], order: [0] });

    expect(text).toBe(`'+a\tb\tc\td\n'=1+1\t-5\t-5\t"'=a\tb"`);
  });
});
