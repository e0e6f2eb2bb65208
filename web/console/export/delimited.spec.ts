import { describe, expect, it } from '@jest/globals';
import { csvOf, guardedCsv, ndjsonOf } from './delimited.ts';

const REPLY = { count: 1, entities: [], warnings: [], snapshot_version: 1, took_ms: 1 };

describe('CSV', () => {
  it('quotes values with special characters', () => {
    const text = csvOf({
      columns: ['a', 'b,c'],
      rows: [
        ['x "y"', 'two\nlines'],
        [null, 1.5],
        [true, ['a', 'b']],
      ],
    });

    expect(text).toBe('a,"b,c"\r\n"x ""y""","two\nlines"\r\n,1.5\r\ntrue,"[""a"",""b""]"\r\n');
  });
});

describe('a cell that a spreadsheet would compute', () => {
  const csvWith = (text: string): string => `a\r\n${text.includes('\r') ? `"${text}"` : text}\r\n`;

  it.each(['=1+1', '+cmd', '-2+3', '@sum(a1)', '\t=1', '\r=1', '\uFF1D1', '--5'])(
    'is marked as text: %j',
    (text) => {
      expect(csvOf({ columns: ['a'], rows: [[text]] })).toBe(csvWith(`'${text}`));
      expect(csvOf({ columns: [text], rows: [] })).toContain(`'${text}`);
      expect(guardedCsv(csvWith(text))).toBe(csvWith(`'${text}`));
    },
  );

  it.each(['-5', '+1.5e3', '.5', '-', 'a=b', ' =1', '2026-01-01'])('is not %j', (text) => {
    expect(csvOf({ columns: ['a'], rows: [[text]] })).toBe(csvWith(text));
    expect(guardedCsv(csvWith(text))).toBe(csvWith(text));
  });

  it('is no number, and no list', () => {
    const text = csvOf({ columns: ['a', 'b'], rows: [[-5, ['-5', '=1']]] });

    expect(text).toBe('a,b\r\n-5,"[""-5"",""=1""]"\r\n');
  });

  it('is found among the cells of a CSV of the service, which stay as they are', () => {
    const csv = 'a,"b ""x"", c"\r\n,"=1,""2"""\r\n"two\r\nlines","-5"\r\n';

    expect(guardedCsv(csv)).toBe(csv.replace('"=1', `"'=1`));
  });
});

describe('NDJSON', () => {
  it('has an object for each row, over all pages', () => {
    const pages = [
      { ...REPLY, columns: ['a', 'b'], rows: [[1, null]] },
      { ...REPLY, columns: ['a', 'b'], rows: [[2, 'x']] },
    ];

    expect(ndjsonOf(pages)).toBe('{"a":1,"b":null}\n{"a":2,"b":"x"}\n');
  });

  it('writes groups as the service returns them', () => {
    const pages = [{ ...REPLY, groups: [{ key: 'eu', count: 2, n: 1 }] }];

    expect(ndjsonOf(pages)).toBe('{"key":"eu","count":2,"n":1}\n');
  });
});
