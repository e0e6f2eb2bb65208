import { describe, expect, it } from '@jest/globals';
import { draftOf, type Mapping, mappingOf } from './mapping-draft.ts';

const MAPPING: Mapping = {
  type: 'host',
  key: 'id',
  properties: { os: 'OS', cores: { column: 'CPU', as: 'integer' } },
  relationships: [
    { verb: 'OWNS', from: 'user', column: 'owner' },
    { verb: 'MEMBER_OF', to: 'group', column: 'groups', separator: ';' },
  ],
};
const COLUMNS = ['id', 'OS', 'CPU', 'owner', 'groups', 'note'];

describe('a mapping in a form', () => {
  it('comes back as it was', () => {
    expect(mappingOf(draftOf(MAPPING, COLUMNS), MAPPING)).toEqual(MAPPING);
    expect(draftOf(MAPPING, COLUMNS).columns.map(({ role }) => role)).toEqual([
      'key',
      'property',
      'property',
      'relationship',
      'relationship',
      'left out',
    ]);
  });

  it('keeps what the form does not show', () => {
    const before = { ...MAPPING, type: { column: 'kind' }, name: 'OS', key: ['id', 'OS'] };

    expect(mappingOf(draftOf(before, COLUMNS), before)).toMatchObject({
      type: { column: 'kind' },
      name: 'OS',
      key: ['id', 'OS'],
    });
  });

  it('has a column as what it was made', () => {
    const draft = draftOf(MAPPING, COLUMNS);
    const columns = draft.columns.map((each) =>
      each.column === 'note'
        ? { ...each, role: 'property' as const, kind: 'list' as const, separator: '|' }
        : each,
    );

    expect(mappingOf({ ...draft, columns }, MAPPING).properties).toEqual({
      ...MAPPING.properties,
      note: { column: 'note', as: 'list', separator: '|' },
    });
  });
});
