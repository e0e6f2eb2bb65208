import { describe, expect, it } from '@jest/globals';
import {
  createProperties,
  type EntityInput,
  type FieldValue,
  type PropertyValue,
  type UnreadEntities,
} from '#graph/model';
import { DomainError } from '#platform/foundation';
import { Collected } from '../run/collected.ts';
import { deriveRelationships } from './derive-relationships.ts';
import { type Mapping, type MappingText, parseMapping } from './mapping.ts';
import { GraphEntities, type KnownEntity } from '../run/graph-entities.port.ts';

const TEXT = { verb: 'MAPS_TO', from: 'group', to: 'db_role', on: 'from.name = to.name' };
const MAPPING = mappingOf({});

function mappingOf(more: Partial<MappingText>): Mapping {
  return parseMapping(
    { ...TEXT, ...more },
    (name, message) => new DomainError('INVALID_CONFIG', `${name}: ${message}`),
  );
}

function entity(type: string, key: string, name: PropertyValue): EntityInput {
  const properties = Object.assign(createProperties(), { name });
  return { type, key, class: type, displayName: key, properties };
}

class ListedEntities extends GraphEntities {
  readonly #list: readonly (KnownEntity & { readonly type: string })[];

  constructor(...list: readonly (readonly [type: string, key: string, name: FieldValue, owner: string])[]) {
    super();
    this.#list = list.map(([type, key, name, connectorId]) => ({
      type,
      key,
      connectorId,
      field: () => name,
      isStatedByOthers: () => true,
    }));
  }

  override ofType(type: string): Iterable<KnownEntity> {
    return this.#list.filter((each) => each.type === type);
  }
}

function pairs(
  emitted: readonly EntityInput[],
  graph: GraphEntities = new ListedEntities(),
  partialTypes: readonly string[] = [],
  unread: readonly UnreadEntities[] = [],
): readonly string[] {
  const collected = new Collected();
  for (const each of emitted) collected.addEntity(each);
  const sources = { connectorId: 'ldap', collected, partialTypes, unread, graph };
  return deriveRelationships(MAPPING, sources).map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`);
}

describe('deriveRelationships', () => {
  it('relates every pair with equal fields', () => {
    const found = pairs([
      entity('group', 'g1', 'analysts'),
      entity('group', 'g2', 'analysts'),
      entity('group', 'g3', 'others'),
      entity('db_role', 'r1', 'analysts'),
      entity('db_role', 'r2', 'analysts'),
    ]);

    expect(found).toEqual(['g1 MAPS_TO r1', 'g1 MAPS_TO r2', 'g2 MAPS_TO r1', 'g2 MAPS_TO r2']);
  });

  it('matches each element of a list once, and never null', () => {
    const found = pairs([
      entity('group', 'g1', ['a', 'b']),
      entity('group', 'g2', null),
      entity('db_role', 'r1', ['b', 'a']),
      entity('db_role', 'r2', null),
    ]);

    expect(found).toEqual(['g1 MAPS_TO r1']);
  });

  it('does not equate values of different kinds', () => {
    expect(pairs([entity('group', 'g', '1'), entity('db_role', 'r', 1)])).toEqual([]);
  });

  it.each<[Partial<MappingText>, string, string, boolean]>([
    [{}, 'App_RO', 'app_ro', false],
    [{ ignore_case: true }, 'App_RO', 'app_ro', true],
    [{ ignore_case: true }, 'STRASSE', 'straße', false],
    [{ ignore_case: true }, 'Ame\u0301lie', 'AMÉLIE', true],
    [{ from_transform: ['lower'] }, 'App_RO', 'app_ro', true],
    [{ to_transform: ['lower'] }, 'App_RO', 'app_ro', false],
    [{ to_transform: ['upper'] }, 'APP_RO', 'app_ro', true],
    [{ from_transform: ['capture:^CN=GG_([^,]+),', 'lower'] }, 'CN=GG_Sales,OU=x', 'sales', true],
    [{ from_transform: ['capture:^CN=GG_([^,]+),'] }, 'CN=Other,OU=x', 'CN=Other,OU=x', false],
    [{ from_transform: ['capture:[a-z]+'], to_transform: ['capture:[a-z]+$'] }, 'ro-1', '9-ro', true],
    [{ from_transform: ['capture:x(y)?'] }, 'x', '', false],
  ])('compares after %j: %j and %j', (more, from, to, isEqual) => {
    const collected = new Collected();
    for (const each of [entity('group', 'g', from), entity('db_role', 'r', to)]) collected.addEntity(each);
    const sources = {
      connectorId: 'x',
      collected,
      partialTypes: [],
      unread: [],
      graph: new ListedEntities(),
    };

    expect(deriveRelationships(mappingOf(more), sources)).toHaveLength(isEqual ? 1 : 0);
  });

  it('relates entities of one type, but none with itself', () => {
    const collected = new Collected();
    for (const each of [
      entity('user', 'u1', 'ann'),
      entity('user', 'u2', 'ann'),
      entity('user', 'u3', 'bob'),
    ])
      collected.addEntity(each);
    const sources = {
      connectorId: 'x',
      collected,
      partialTypes: [],
      unread: [],
      graph: new ListedEntities(),
    };
    const found = deriveRelationships(mappingOf({ from: 'user', to: 'user' }), sources);

    expect(found.map(({ from, to }) => `${from.key} ${to.key}`)).toEqual(['u1 u2', 'u2 u1']);
  });

  it('changes texts only, and relates a pair once', () => {
    const collected = new Collected();
    for (const each of [entity('group', 'g', ['A', 'a', 1]), entity('db_role', 'r', [1, 'a'])])
      collected.addEntity(each);
    const sources = {
      connectorId: 'x',
      collected,
      partialTypes: [],
      unread: [],
      graph: new ListedEntities(),
    };

    expect(deriveRelationships(mappingOf({ ignore_case: true }), sources)).toHaveLength(1);
  });

  it('finds the other end in the graph, and prefers the statement of this run', () => {
    const graph = new ListedEntities(
      ['db_role', 'r1', 'analysts', 'pg'],
      ['group', 'g1', 'former name', 'ldap'],
    );

    expect(pairs([entity('group', 'g1', 'analysts')], graph)).toEqual(['g1 MAPS_TO r1']);
  });

  it('leaves out entities missing from this run, unless their type is partial', () => {
    const graph = new ListedEntities(
      ['db_role', 'r1', 'analysts', 'pg'],
      ['group', 'gone', 'analysts', 'ldap'],
    );

    expect(pairs([], graph)).toEqual([]);
    expect(pairs([], graph, ['group'])).toEqual(['gone MAPS_TO r1']);
    expect(pairs([], graph, [], [{ type: 'group', keyPrefix: 'go' }])).toEqual(['gone MAPS_TO r1']);
    expect(pairs([], graph, [], [{ type: 'user', keyPrefix: 'go' }])).toEqual([]);
  });
});
