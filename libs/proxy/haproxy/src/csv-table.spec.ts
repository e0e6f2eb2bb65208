import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseCsvTable } from './csv-table.ts';

const rowsOf = (text: string) => parseCsvTable(text)?.map((row) => Object.fromEntries(row));

describe('parseCsvTable', () => {
  it('returns a row for each line, by column name', () => {
    expect(rowsOf('# a,b,\n1,2,\n,,\n\n')).toEqual([
      { a: '1', b: '2', '': '' },
      { a: '', b: '', '': '' },
    ]);
  });

  it('reads quoted fields with commas, line ends and quotes', () => {
    expect(rowsOf('# a,b\n"1,\n""x""",2\n')).toEqual([{ a: '1,\n"x"', b: '2' }]);
  });

  it.each([
    ['nothing', ''],
    ['no header', '1,2\n'],
    ['a header of one column', '# a\n'],
    ['a row that is too short', '# a,b,c\n1,2\n'],
    ['a row that is too long', '# a,b\n1,2,3\n'],
    ['an open quote', '# a,b\n"1,2\n'],
    ['a quote in a field', '# a,b\n1"2,3\n'],
  ])('rejects %s', (_, text) => {
    expect(parseCsvTable(text)).toBeUndefined();
  });

  it('reads back any table written by the rules', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', ' ') });
    const written = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 50 }), (table) => {
        const lines = table.map((cells) => `${cells.map(written).join(',')}\n`);

        const rows = parseCsvTable(`# x,y,z\n${lines.join('')}`);

        expect(rows?.map((row) => [row.get('x'), row.get('y'), row.get('z')])).toEqual(table);
      }),
    );
  });
});
