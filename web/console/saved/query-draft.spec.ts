import { describe, expect, it } from '@jest/globals';
import { bodyOf, defaultsOf, draftOf, parameterNames, withParameters } from './query-draft.ts';

const QUERY = {
  name: 'Hosts',
  description: 'All.',
  text: 'FIND host WITH env = $env AND n > $n AND os IN $os',
  tags: ['a', 'b'],
  parameters: {
    env: { type: 'string' },
    n: { type: 'number', default: 3 },
    os: { type: 'list', default: ['x'] },
  },
};

describe('a draft of a saved query', () => {
  it('is sent back as the same query', () => {
    expect({ name: QUERY.name, ...bodyOf(draftOf(QUERY)) }).toEqual(QUERY);
  });

  it('reports an invalid default', () => {
    const draft = draftOf(QUERY);
    const parameters = draft.parameters.map((each) => ({ ...each, fallback: '{' }));

    expect(() => bodyOf({ ...draft, parameters })).toThrow('$n: expected a number as JSON, such as 3');
  });

  it('declares the parameters of its text, and keeps their descriptions', () => {
    const draft = { ...draftOf(QUERY), text: 'FIND host WITH n > $n AND x = $new' };

    expect(withParameters(draft)).toEqual([
      { name: 'n', type: 'number', fallback: '3' },
      { name: 'new', type: 'string', fallback: '' },
    ]);
  });

  it('has the values of parameters with a default', () => {
    expect(defaultsOf(QUERY)).toEqual({ n: 3, os: ['x'] });
  });

  it.each([
    ["FIND host WITH a = '$no' AND b = $yes", ['yes']],
    ["FIND host WITH a = 'it''s $no' AND b = $yes", ['yes']],
    ['FIND host -- $no\nWITH a = $b OR c = $b OR d = $1', ['b', '1']],
  ])('finds the parameters of %s', (text, names) => {
    expect(parameterNames(text)).toEqual(names);
  });
});
