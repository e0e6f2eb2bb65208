import {
  createProperties,
  type EntityStatement,
  type PropertyValue,
  type RelationshipInput,
} from '#graph/model';
import type { SyncRequest } from '../src/index.ts';

/** An object of a STIX 2.1 bundle, with the fields used by the graph. */
export interface StixObject {
  readonly type: string;
  readonly id: string;
  readonly name?: string;
  readonly relationship_type?: string;
  readonly source_ref?: string;
  readonly target_ref?: string;
  readonly [field: string]: unknown;
}

export interface StixBundle {
  readonly objects: readonly StixObject[];
}

/**
 * A whole bundle as one full sync: objects become entities by their STIX id, relationship objects
 * relationships.
 */
export function stixSync(bundle: StixBundle, connectorId: string, syncId: string): SyncRequest {
  const types = new Map(bundle.objects.map(({ id, type }) => [id, typeOf(type)]));
  const isRelationship = ({ type }: StixObject): boolean => type === 'relationship';
  return {
    connectorId,
    syncId,
    entities: bundle.objects.filter((object) => !isRelationship(object)).map(entityOf),
    relationships: bundle.objects.filter(isRelationship).map((object) => relationshipOf(object, types)),
  };
}

function entityOf(object: StixObject): EntityStatement {
  const { type, id, name } = object;
  return { type: typeOf(type), key: id, displayName: name, properties: flatProperties(object) };
}

function relationshipOf(object: StixObject, types: ReadonlyMap<string, string>): RelationshipInput {
  const { id, relationship_type: verb = '', source_ref: from = '', target_ref: to = '' } = object;
  return {
    from: { type: types.get(from) ?? 'unknown', key: from },
    verb: verb.toUpperCase().replaceAll('-', '_'),
    to: { type: types.get(to) ?? 'unknown', key: to },
    key: id,
    properties: flatProperties(object),
  };
}

function typeOf(stixType: string): string {
  return stixType.replaceAll('-', '_');
}

/** Scalars and lists of strings stay; nested values become JSON text, so that their changes are visible. */
function flatProperties(object: StixObject): Record<string, PropertyValue> {
  const properties = createProperties();
  for (const [field, value] of Object.entries(object)) {
    if (field === 'type' || field === 'id') continue;
    properties[field] = flat(value);
  }
  return properties;
}

function flat(value: unknown): PropertyValue {
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  ) {
    return value;
  }
  if (Array.isArray(value) && value.every((item): item is string => typeof item === 'string')) return value;
  return JSON.stringify(value);
}
