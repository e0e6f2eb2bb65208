import { describe, expect, it } from '@jest/globals';
import {
  agoText,
  axisText,
  bytesText,
  codeText,
  countedText,
  msText,
  shareText,
  spanText,
} from './format-value.ts';

describe('formatted values', () => {
  it.each([
    [0, '0 B'],
    [1_023, '1023 B'],
    [1_536, '1.5 KiB'],
    [200 * 2 ** 20, '200 MiB'],
  ])('format %d bytes as %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text);
  });

  it.each([
    [0.25, '0.3 ms'],
    [412, '412 ms'],
    [1_500, '1.5 s'],
    [600_000, '10 min'],
  ])('format %d ms as %s', (ms, text) => {
    expect(msText(ms)).toBe(text);
  });

  it('name one of a thing and several of it', () => {
    expect([countedText(1, 'entity', 'entities'), countedText(2_000, 'row')]).toEqual([
      '1 entity',
      '2,000 rows',
    ]);
  });

  it.each([
    [400, '0 s'],
    [60_000, '1 min'],
    [3_725_000, '1 h 2 min'],
    [86_400_000, '1 d'],
  ])('write a span of %d ms as %s', (ms, text) => {
    expect(spanText(ms)).toBe(text);
  });

  it('name the time at an axis, and at midnight the day', () => {
    expect([axisText(new Date(2026, 10, 27, 20, 5)), axisText(new Date(2026, 10, 27))]).toEqual([
      '20:05',
      '27 Nov',
    ]);
  });

  it('write a code of the service in words', () => {
    expect(['UNKNOWN_CLASS', 'PQL_SYNTAX'].map(codeText)).toEqual(['Unknown class', 'PQL syntax']);
  });

  it('show an unknown value as such, not as a number', () => {
    expect([shareText(null), shareText(0), shareText(2 / 3), shareText(1)]).toEqual([
      'unknown',
      '0%',
      '66.7%',
      '100%',
    ]);
  });

  it.each([
    [0, 'now'],
    [-45_000, '45 seconds ago'],
    [-150_000, '2 minutes ago'],
    [-7_200_000, '2 hours ago'],
    [-86_400_000, 'yesterday'],
    [-40 * 86_400_000, '40 days ago'],
  ])('format an instant %d ms from now as %s', (ms, text) => {
    const nowMs = Date.UTC(2026, 10, 22);

    expect(agoText(new Date(nowMs + ms).toISOString(), nowMs)).toBe(text);
  });
});
