import { describe, expect, it } from '@jest/globals';
import { relationshipId } from './entity.ts';
import { FieldPath } from './field-path.ts';
import { parseRelationship } from './parse-statements.ts';

const web = { type: 'host', key: 'web-01' };
const nginx = { type: 'service', key: 'nginx' };

describe('parseRelationship', () => {
  it('keeps the fields of a statement', () => {
    const value = { from: web, verb: 'RUNS', to: nginx, key: 'a', properties: { port: 443 } };

    expect(parseRelationship(value, new FieldPath())).toEqual(value);
  });

  it('accepts ends in the form of replies', () => {
    const value = { from: { id: 'x', ...web }, verb: 'RUNS', to: { id: 'y', ...nginx } };

    expect(parseRelationship(value, new FieldPath()).from).toEqual(web);
  });

  it.each([
    ['no from', { verb: 'RUNS', to: nginx }, 'from'],
    ['a text for an end', { from: 'web-01', verb: 'RUNS', to: nginx }, 'from'],
    ['an end without key', { from: web, verb: 'RUNS', to: { type: 'service' } }, 'to.key'],
    ['an unknown field of an end', { from: { ...web, name: '' }, verb: 'RUNS', to: nginx }, 'from.name'],
    ['no verb', { from: web, to: nginx }, 'verb'],
    ['NUL in a verb', { from: web, verb: 'R\0', to: nginx }, 'verb'],
    ['an empty key', { from: web, verb: 'RUNS', to: nginx, key: '' }, 'key'],
    ['an unknown field', { from: web, verb: 'RUNS', to: nginx, since: 1 }, 'since'],
  ])('refuses %s and names the field', (_name, value, field) => {
    expect(() => parseRelationship(value, new FieldPath())).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', details: { field } }),
    );
  });
});

describe('relationshipId', () => {
  it('does not depend on the case of the verb', () => {
    expect(relationshipId('a', 'runs', 'b')).toBe(relationshipId('a', 'RUNS', 'b'));
  });

  it('depends on the key', () => {
    expect(relationshipId('a', 'RUNS', 'b', '1')).not.toBe(relationshipId('a', 'RUNS', 'b'));
  });
});
