import { describe, expect, it } from '@jest/globals';
import { nearestName } from './nearest-name.ts';

describe('nearestName', () => {
  it.each([
    ['hots', ['host', 'user'], 'host'],
    ['hst', ['host'], 'host'],
    ['hoost', ['host'], 'host'],
    ['Host', ['host'], 'host'],
    ['regoin', ['origin', 'region'], 'region'],
    ['display_nmae', ['display_name', 'name'], 'display_name'],
    ['_updatedat', ['_updated_at', '_created_at'], '_updated_at'],
    ['H', ['h'], 'h'],
  ])('finds the intended name for %s', (name, candidates, expected) => {
    const nearest = nearestName(name, candidates);

    expect(nearest).toBe(expected);
  });

  it.each([
    ['host', ['user', 'service']],
    ['g', ['h']],
    ['os', ['is', 'cpu']],
    ['host', ['host']],
    ['state', ['stale_data']],
    ['anything', []],
  ])('finds nothing near %s', (name, candidates) => {
    const nearest = nearestName(name, candidates);

    expect(nearest).toBeUndefined();
  });

  it('prefers the nearer of two, and of equally near ones the alphabetically first', () => {
    const nearer = nearestName('regions', ['ragion', 'region']);
    const first = nearestName('cat', ['cut', 'cot', 'bat']);

    expect(nearer).toBe('region');
    expect(first).toBe('bat');
  });

  it('allows one edit for every three characters, at most three', () => {
    const twoEdits = nearestName('abcxyz', ['abcdef', 'abcxuv']);
    const fourEdits = nearestName('abcdefghijklmnop', ['abcdefghijkl1234']);
    const threeEdits = nearestName('abcdefghijklmnop', ['abcdefghijklm123']);

    expect(twoEdits).toBe('abcxuv');
    expect(fourEdits).toBeUndefined();
    expect(threeEdits).toBe('abcdefghijklm123');
  });

  it('ignores names of more than 64 characters', () => {
    const long = 'x'.repeat(65);

    const nearest = nearestName(long, [`${long}y`]);

    expect(nearest).toBeUndefined();
  });
});
