import { describe, expect, it } from '@jest/globals';
import { failureOf } from './run-and-report.ts';

type Run = Parameters<typeof failureOf>[0];
const run = (more: Partial<Run>): Run => ({
  connector_id: 'crm',
  status: 'partial',
  partial_types: [],
  unresolved_count: 0,
  warnings: [],
  ...more,
});

describe('why a run is not complete', () => {
  it.each<[string, Partial<Run>]>([
    ['users: no answer', { reason: 'users: no answer' }],
    ['nothing was deleted of user, group', { partial_types: ['user', 'group'] }],
    ['1 reference could not be resolved', { unresolved_count: 1, warnings: ['groups: a member'] }],
    ['the database shop is not read', { warnings: ['the database shop is not read', 'another'] }],
    ['a part was not read', {}],
  ])('is said: %s', (reason, more) => {
    expect(failureOf(run(more))).toBe(`the run of crm is partial: ${reason}`);
  });
});
