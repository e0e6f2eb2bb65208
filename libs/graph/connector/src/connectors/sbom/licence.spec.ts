import { describe, expect, it } from '@jest/globals';
import { licencesIn, licenceText } from './licence.ts';

describe('licenceText', () => {
  it.each([
    ['MIT', 'MIT'],
    ['  ', undefined],
    [{ type: 'MIT', url: 'https://example.org' }, 'MIT'],
    [[{ type: 'MIT' }, 'Apache-2.0', 7], 'MIT OR Apache-2.0'],
    [[], undefined],
    [42, undefined],
  ])('reads %j as %j', (value, text) => {
    expect(licenceText(value)).toBe(text);
  });
});

describe('licencesIn', () => {
  it.each([
    ['MIT', ['MIT']],
    ['(MIT OR CC0-1.0)', ['MIT', 'CC0-1.0']],
    ['(MIT AND (Apache-2.0 OR MIT))', ['MIT', 'Apache-2.0']],
    ['GPL-2.0-only WITH Classpath-exception-2.0', ['GPL-2.0-only']],
    ['SEE LICENSE IN LICENSE.md', ['SEE LICENSE IN LICENSE.md']],
    ['Public Domain', ['Public Domain']],
    ['AND', ['AND']],
    ['© all rights reserved', ['© all rights reserved']],
  ])('finds in %j %j', (text, names) => {
    expect(licencesIn(text)).toEqual(names);
  });
});
