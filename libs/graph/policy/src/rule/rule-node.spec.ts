import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/foundation';
import { RuleNode } from './rule-node.ts';
import { jsonSource } from './rule-source.ts';

describe('a field', () => {
  it.each([[{}], [null], [7], ['text'], [[]]])('of %j that is not its own is absent', (value) => {
    const node = RuleNode.root(jsonSource(value));

    expect([node.at('query').isAbsent, node.at('toString').isAbsent]).toEqual([true, true]);
  });
});

describe('a checked value', () => {
  const node = RuleNode.root(jsonSource({ query: 'FIND' })).at('query');

  it('is refused by its place when what reads it refuses it', () => {
    const read = () =>
      node.checked(() => {
        throw new DomainError('INVALID_REQUEST', 'too short');
      });

    expect(read).toThrow(expect.objectContaining({ code: 'POLICY_INVALID', message: 'query: too short' }));
  });

  it('hides no defect of what reads it', () => {
    const read = () =>
      node.checked(() => {
        throw new TypeError('a defect');
      });

    expect(read).toThrow(TypeError);
  });
});
