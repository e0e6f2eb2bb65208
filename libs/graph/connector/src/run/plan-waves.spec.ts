import { describe, expect, it } from '@jest/globals';
import { planWaves, printWaves } from './plan-waves.ts';

describe('planWaves', () => {
  it('puts a step into the first wave after all its dependencies', () => {
    const waves = planWaves([
      { id: 'grants', dependsOn: ['tables', 'roles'] },
      { id: 'roles' },
      { id: 'tables', dependsOn: ['databases'] },
      { id: 'databases' },
    ]);

    expect(printWaves(waves)).toBe('1: roles, databases\n2: tables\n3: grants');
  });

  it('returns no waves for no steps', () => {
    expect(planWaves([])).toEqual([]);
  });

  it.each([
    [[{ id: 'a' }, { id: 'a' }], 'two steps have the id a'],
    [[{ id: 'a', dependsOn: ['b'] }], 'step a depends on b, and there is no such step'],
    [[{ id: 'a', dependsOn: ['a'] }], 'steps wait for each other: a → a'],
    [
      [
        { id: 'x', dependsOn: ['a'] },
        { id: 'a', dependsOn: ['b'] },
        { id: 'b', dependsOn: ['a'] },
      ],
      'steps wait for each other: a → b → a',
    ],
  ])('refuses %j', (steps, message) => {
    expect(() => planWaves(steps)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', message }));
  });
});
