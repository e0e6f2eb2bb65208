import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/foundation';
import { parseEntity } from './parse-statements.ts';
import { FieldPath } from './field-path.ts';
import { MODEL_LIMITS } from './limits.ts';
import type { ParseOptions } from './properties.ts';

function entity(fields: object): Record<string, unknown> {
  return { type: 'host', key: 'web-01', ...fields };
}

function parse(value: unknown, options: ParseOptions = {}) {
  const path = new FieldPath('entities');
  path.index = 3;
  return parseEntity(value, path, options);
}

function faultOf(value: unknown, options: ParseOptions = {}): DomainError {
  try {
    parse(value, options);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('the value was accepted');
}

describe('parseEntity', () => {
  it('keeps the fields of a statement', () => {
    const properties = { state: 'running', cpu: 2.5, up: true, owner: null, tags: ['a', 'b'], none: [] };

    const statement = parse(entity({ class: 'Host', display_name: 'Web 1', properties }));

    expect(statement).toEqual({
      type: 'host',
      key: 'web-01',
      class: 'Host',
      displayName: 'Web 1',
      properties,
    });
  });

  it('leaves class and display name undefined if they are absent or null', () => {
    const statement = parse(entity({ class: null }));

    expect(statement.class).toBeUndefined();
    expect(statement.displayName).toBeUndefined();
    expect(Object.keys(statement.properties)).toEqual([]);
  });

  it('treats names inherited by objects as data', () => {
    const value: unknown = JSON.parse(
      '{"type":"t","key":"k","properties":{"__proto__x":1,"constructor":2,"toString":"s"}}',
    );

    const fault = faultOf(value);
    const plain: unknown = JSON.parse('{"type":"t","key":"k","properties":{"constructor":2,"toString":"s"}}');
    const { properties } = parse(plain);

    expect(fault.details).toEqual({ field: 'entities[3].properties.__proto__x' });
    expect(JSON.stringify(properties)).toBe('{"constructor":2,"toString":"s"}');
    expect('valueOf' in properties).toBe(false);
  });

  it('accepts a record in the form of replies', () => {
    const shown = entity({
      id: 'x',
      source: {},
      created_at: '',
      updated_at: '',
      last_seen_at: '',
      deleted_at: null,
    });

    expect(parse({ ...shown, version: 3 }).key).toBe('web-01');
  });

  it('flattens nested objects into dotted names on request', () => {
    const value = entity({ properties: { net: { ip: '10.0.0.1', dns: { name: 'web' } }, cpu: 2 } });

    expect(parse(value, { flatten: true }).properties).toEqual({
      'net.ip': '10.0.0.1',
      'net.dns.name': 'web',
      cpu: 2,
    });
  });

  it('counts a key in bytes', () => {
    const half = 'ä'.repeat(MODEL_LIMITS.keyBytesMax / 2);

    expect(parse(entity({ key: half })).key).toBe(half);
    expect(faultOf(entity({ key: `${half}x` })).message).toContain('1024 bytes');
  });

  it('counts a type in characters', () => {
    const longest = '🦊'.repeat(MODEL_LIMITS.nameCharactersMax);

    expect(parse(entity({ type: longest })).type).toBe(longest);
    expect(faultOf(entity({ type: `${longest}x` })).details).toEqual({ field: 'entities[3].type' });
  });

  it.each([
    ['a list for an entity', [], 'entities[3]'],
    ['no type', { key: 'k' }, 'entities[3].type'],
    ['an empty type', entity({ type: '' }), 'entities[3].type'],
    ['a blank type', entity({ type: '  ' }), 'entities[3].type'],
    ['NUL in a type', entity({ type: 'a\0b' }), 'entities[3].type'],
    ['a lone surrogate in a type', entity({ type: 'a\ud800' }), 'entities[3].type'],
    ['no key', { type: 'host' }, 'entities[3].key'],
    ['an empty key', entity({ key: '' }), 'entities[3].key'],
    ['a number for a key', entity({ key: 7 }), 'entities[3].key'],
    ['NUL in a key', entity({ key: 'a\0b' }), 'entities[3].key'],
    ['a lone surrogate in a key', entity({ key: '\udc00' }), 'entities[3].key'],
    ['a number for a class', entity({ class: 1 }), 'entities[3].class'],
    ['an unknown field', entity({ propertys: {} }), 'entities[3].propertys'],
    ['a list for properties', entity({ properties: [] }), 'entities[3].properties'],
    ['an underscore name', entity({ properties: { _id: 1 } }), 'entities[3].properties._id'],
    ['a property class', entity({ properties: { class: 'x' } }), 'entities[3].properties.class'],
    [
      'a property display_name',
      entity({ properties: { display_name: 'x' } }),
      'entities[3].properties.display_name',
    ],
    ['an empty property name', entity({ properties: { '': 1 } }), 'entities[3].properties.'],
    [
      'an infinite number',
      entity({ properties: { cpu: Number.POSITIVE_INFINITY } }),
      'entities[3].properties.cpu',
    ],
    ['not a number', entity({ properties: { cpu: Number.NaN } }), 'entities[3].properties.cpu'],
    ['a lone surrogate in a value', entity({ properties: { os: '\ud800' } }), 'entities[3].properties.os'],
    ['a mixed list', entity({ properties: { tags: ['a', 1] } }), 'entities[3].properties.tags[1]'],
    ['a null among strings', entity({ properties: { tags: ['a', null] } }), 'entities[3].properties.tags[1]'],
    ['a list of nulls', entity({ properties: { tags: [null] } }), 'entities[3].properties.tags[0]'],
  ])('refuses %s and names the field', (_name, value, field) => {
    const fault = faultOf(value);

    expect(fault.code).toBe('INVALID_REQUEST');
    expect(fault.details).toEqual({ field });
  });

  it.each([
    ['an object', { net: { ip: '' } }, {}],
    ['a list of objects', { nets: [{ ip: '' }] }, {}],
    ['a list of lists', { nets: [['']] }, { flatten: true }],
  ])('refuses %s as a property', (_name, properties, options) => {
    expect(faultOf(entity({ properties }), options).code).toBe('NESTED_PROPERTY');
  });

  it('rejects a duplicate name after flattening', () => {
    const fault = faultOf(entity({ properties: { 'a.b': 1, a: { b: 2 } } }), { flatten: true });

    expect(fault.details).toEqual({ field: 'entities[3].properties.a.b' });
  });

  it('rejects nesting beyond the flattening limit', () => {
    let nested: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) nested = { a: nested };

    expect(faultOf(entity({ properties: { nested } }), { flatten: true }).code).toBe('NESTED_PROPERTY');
  });

  it('rejects more properties than the limit', () => {
    const names = Array.from({ length: MODEL_LIMITS.propertiesMax + 1 }, (_, index) => [
      `p${String(index)}`,
      index,
    ]);

    const properties: unknown = Object.fromEntries(names);

    expect(faultOf(entity({ properties })).details).toEqual({
      field: 'entities[3].properties',
    });
  });
});
