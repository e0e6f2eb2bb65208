import { describe, expect, it } from '@jest/globals';
import { parseFailOn } from './fail-on.ts';

describe('--fail-on', () => {
  it.each([
    ['high', { severity: 'high', statuses: ['Fail', 'Error'] }],
    ['fail', { severity: 'info', statuses: ['Fail'] }],
    ['nodata', { severity: 'info', statuses: ['NoData'] }],
    ['fail, nodata,error', { severity: 'info', statuses: ['Fail', 'NoData', 'Error'] }],
    ['error,critical', { severity: 'critical', statuses: ['Error'] }],
  ])('%s is understood', (text, wanted) => {
    expect(parseFailOn(text)).toEqual(wanted);
  });

  it.each(['', 'huge', 'fail,', 'Fail', 'high,low', 'toString'])('%j is refused', (text) => {
    expect(() => parseFailOn(text)).toThrow('expected one severity, statuses, or both');
  });
});
