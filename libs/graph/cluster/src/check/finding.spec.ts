import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/foundation';
import { failed, found } from './finding.ts';

describe('a check result', () => {
  it('is broken after one violation, and unknown after too few observations', () => {
    const many = Array.from({ length: 9 }, (_, at) => `${at}`);

    expect(found([], 'all', true)).toEqual({ verdict: 'held', seen: 'all', violations: [] });
    expect(found([], 'little', false)).toEqual({ verdict: 'unknown', seen: 'little', violations: [] });
    expect(found(many, 'little', false)).toEqual({
      verdict: 'broken',
      seen: 'little',
      violations: ['0', '1', '2', '3', '4'],
    });
  });

  it.each([
    ['a database that is away', new DomainError('STORE_UNAVAILABLE', 'away'), 'unknown'],
    ['a node that is late', new DomainError('NOT_CAUGHT_UP', 'late'), 'unknown'],
    [
      'a batch that cannot be read',
      new DomainError('STORE_UNAVAILABLE', 'damaged', { cause: new DomainError('STORE_CORRUPT', 'damaged') }),
      'broken',
    ],
    ['any other refusal', new DomainError('CONFLICT', 'no'), 'broken'],
    ['a defect', new Error('expected something'), 'broken'],
  ])('of %s says what that means', (_, error, verdict) => {
    expect(failed(error).verdict).toBe(verdict);
  });
});
