import { describe, expect, it } from '@jest/globals';
import { momentMs } from './moment.ts';

describe('a moment', () => {
  it.each([
    ['2027-01-31', Date.UTC(2027, 0, 31)],
    ['2028-02-29', Date.UTC(2028, 1, 29)],
    ['2027-01-31T12:30Z', Date.UTC(2027, 0, 31, 12, 30)],
    ['2027-01-31T12:30:05.25+02:00', Date.UTC(2027, 0, 31, 10, 30, 5, 250)],
  ])('is that of %s', (text, ms) => {
    expect(momentMs(text)).toBe(ms);
  });

  it.each([
    '',
    'soon',
    '2027',
    '2027-13-01',
    '2027-02-29',
    '2027-02-30T00:00Z',
    '2027-04-31',
    '2027-01-00',
    '2027-01-31T12:30',
    '2027-01-31T25:00Z',
    ' 2027-01-31',
    '2027-01-31T12:30Z\n',
  ])('is none of the text %j', (text) => {
    expect(momentMs(text)).toBeUndefined();
  });
});
