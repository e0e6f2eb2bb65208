import { describe, expect, it } from '@jest/globals';
import { csvOf, ndjsonOf } from './delimited.ts';

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
