import { describe, expect, it } from '@jest/globals';
import { foldedParts, readableText, textParts } from './readable-value.ts';

describe('the value of a property', () => {
  it.each([
    ['malware', 'malware'],
    [true, 'true'],
    [null, 'null'],
    [['Windows', 'Linux'], 'Windows\nLinux'],
    [[], ''],
    ['[not JSON', '[not JSON'],
    [
      '[{"source_name":"mitre-attack","url":"https://attack.mitre.org/software/S1004"},{"source_name":"ESET"}]',
      'source_name: mitre-attack\nurl: https://attack.mitre.org/software/S1004\n\nsource_name: ESET',
    ],
    ['{"a":{"b":1},"c":null}', 'a: {"b":1}\nc: null'],
  ])('%j is read as %j', (value, text) => {
    expect(readableText(value)).toBe(text);
  });

  it.each([
    ['no link', [{ text: 'no link' }]],
    [
      'See https://example.org/a?b=1, and (http://example.org).',
      [
        { text: 'See ' },
        { text: 'https://example.org/a?b=1', address: 'https://example.org/a?b=1' },
        { text: ', and (' },
        { text: 'http://example.org', address: 'http://example.org' },
        { text: ').' },
      ],
    ],
    [
      '[Industroyer](https://attack.mitre.org/software/S1004) is malware.',
      [{ text: 'Industroyer', address: 'https://attack.mitre.org/software/S1004' }, { text: ' is malware.' }],
    ],
    ['[x](javascript:alert(1))', [{ text: '[x](javascript:alert(1))' }]],
  ])('%j has its links', (text, parts) => {
    expect(textParts(text)).toEqual(parts);
  });

  it('is folded behind a link, and not in it', () => {
    const link = { text: 'https://example.org', address: 'https://example.org' };
    expect(foldedParts([{ text: 'See ' }, link, { text: ' and more' }], 10)).toEqual([
      [{ text: 'See ' }, link],
      [{ text: ' and more' }],
    ]);
    expect(foldedParts([{ text: 'abc defg' }], 6)).toEqual([[{ text: 'abc ' }], [{ text: 'defg' }]]);
    expect(foldedParts([{ text: 'abcdef' }], 4)).toEqual([[{ text: 'abcd' }], [{ text: 'ef' }]]);
  });
});
