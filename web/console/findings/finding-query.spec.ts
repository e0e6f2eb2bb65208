import { describe, expect, it } from '@jest/globals';
import { queryOf } from './finding-query.ts';

const PAGE = { limit: 100, offset: 0 };

describe('the query for findings', () => {
  it.each([
    [{}, { state: 'open', ...PAGE }],
    [{ state: 'all' }, PAGE],
    [
      { state: 'waived', assignee: '-' },
      { state: 'waived', assignee: '', ...PAGE },
    ],
    [
      { since: '24h', sort: 'opened' },
      { state: 'open', opened_since: '24h', sort: 'opened', order: 'desc', ...PAGE },
    ],
    [
      { sort: 'colour', offset: 'x' },
      { state: 'open', ...PAGE },
    ],
    [
      { rule: 'edr', class: 'Host', severity: 'high', q: 'web', offset: '200' },
      { state: 'open', rule: 'edr', class: 'Host', severity: 'high', q: 'web', limit: 100, offset: 200 },
    ],
  ])('of the address %j is %j', (parameters, query) => {
    expect(queryOf(parameters)).toEqual(query);
  });
});
