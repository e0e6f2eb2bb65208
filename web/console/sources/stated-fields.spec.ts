import { describe, expect, it } from '@jest/globals';
import { statedFields } from './stated-fields.ts';

const STATEMENT = { priority: 0, since: '2026-11-22T00:00:00.000Z' };

describe('statedFields', () => {
  it('names the source of each shown value, and the differing values of others', () => {
    const fields = statedFields({
      class: 'Host',
      display_name: 'web-1',
      properties: { os: 'linux', tags: ['a'] },
      sources: [
        { ...STATEMENT, connector_id: 'cmdb', class: 'Host', properties: { os: 'linux', tags: ['a'] } },
        {
          ...STATEMENT,
          connector_id: 'agent',
          display_name: 'web-1',
          properties: { os: 'bsd', tags: ['a'] },
        },
      ],
    });

    expect(fields).toEqual([
      { name: 'class', value: 'Host', by: ['cmdb'], others: [] },
      { name: 'display_name', value: 'web-1', by: ['agent'], others: [] },
      { name: 'os', value: 'linux', by: ['cmdb'], others: [{ connectorId: 'agent', value: 'bsd' }] },
      { name: 'tags', value: ['a'], by: ['cmdb', 'agent'], others: [] },
    ]);
  });
});
