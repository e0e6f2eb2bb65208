import {
  createProperties,
  type EntityInput,
  type EntityKey,
  type FieldValue,
  isUnread,
  type RelationshipInput,
  type Scalar,
  type UnreadEntities,
} from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { Collected } from '../run/collected.ts';
import type { GraphEntities } from '../run/graph-entities.port.ts';
import { joinValue, type Transform } from './join-value.ts';
import type { Mapping } from './mapping.ts';

const RELATIONSHIPS_MAX = 1_000_000;

export interface MappingSources {
  readonly connectorId: string;
  /** This run's entities; they replace those with the same key in the graph. */
  readonly collected: Collected;
  /** Types that the run may have read in part. */
  readonly partialTypes: readonly string[];
  /** Entities that went, of types that the run has read in part. */
  readonly removed?: readonly EntityKey[];
  /** Parts that it could not read. */
  readonly unread: readonly UnreadEntities[];
  readonly graph: GraphEntities;
}

/**
 * The relationships of a mapping, between entities with equal fields, after its transforms. A list matches
 * each of its elements; null and missing match nothing, and no entity itself; numbers, texts and booleans
 * differ. Throws
 * QUERY_TOO_LARGE above a million.
 */
export function deriveRelationships(mapping: Mapping, sources: MappingSources): readonly RelationshipInput[] {
  const targets = new Map<Scalar, string[]>();
  for (const { key, value } of candidates(mapping.to, mapping.toField, sources)) {
    for (const scalar of comparedValues(value, mapping.toTransforms, mapping)) {
      const keys = targets.get(scalar);
      if (keys === undefined) targets.set(scalar, [key]);
      else keys.push(key);
    }
  }
  const found: RelationshipInput[] = [];
  for (const { key, value } of candidates(mapping.from, mapping.fromField, sources)) {
    const values = comparedValues(value, mapping.fromTransforms, mapping);
    const keys = new Set([...values].flatMap((scalar) => targets.get(scalar) ?? []));
    // An entity that meets itself says nothing.
    if (mapping.from === mapping.to) keys.delete(key);
    for (const to of keys) found.push(relationshipOf(mapping, key, to));
    if (found.length > RELATIONSHIPS_MAX) {
      const { from, verb, to } = mapping;
      throw new DomainError(
        'QUERY_TOO_LARGE',
        `${from} ${verb} ${to} maps more than ${RELATIONSHIPS_MAX} pairs`,
      );
    }
  }
  return found;
}

interface Candidate {
  readonly key: string;
  readonly value: FieldValue;
}

/** The entities of this run, and those of the graph that this run does not cover. */
function* candidates(type: string, field: string, sources: MappingSources): Iterable<Candidate> {
  const { collected, graph, connectorId, partialTypes, unread } = sources;
  const removed = new Set(sources.removed?.filter((each) => each.type === type).map(({ key }) => key));
  for (const entity of collected.entities(type)) yield { key: entity.key, value: fieldOf(entity, field) };
  for (const known of graph.ofType(type)) {
    if (collected.has({ type, key: known.key })) continue;
    const isKept = partialTypes.includes(type) || isUnread({ type, key: known.key }, unread);
    const vanishes = known.connectorId === connectorId && (!isKept || removed.has(known.key));
    if (!vanishes) yield { key: known.key, value: known.field(field) };
  }
}

function fieldOf(entity: EntityInput, field: string): FieldValue {
  switch (field) {
    case '_key':
      return entity.key;
    case '_type':
      return entity.type;
    case 'class':
    case '_class':
      return entity.class;
    case 'display_name':
      return entity.displayName;
    default:
      return Object.hasOwn(entity.properties, field) ? entity.properties[field] : undefined;
  }
}

/** The values by which an entity is compared, each once. */
function comparedValues(
  value: FieldValue,
  transforms: readonly Transform[],
  { ignoresCase }: Mapping,
): ReadonlySet<Scalar> {
  const values = Array.from(scalarsOf(value), (scalar) => joinValue(scalar, transforms, ignoresCase));
  return new Set(values.filter((scalar) => scalar !== undefined));
}

function scalarsOf(value: FieldValue): Iterable<Scalar> {
  if (value === undefined || value === null) return [];
  const items: readonly Scalar[] = typeof value === 'object' ? value : [value];
  return items.filter((item) => item !== null);
}

function relationshipOf({ verb, from, to }: Mapping, fromKey: string, toKey: string): RelationshipInput {
  return {
    from: { type: from, key: fromKey },
    verb,
    to: { type: to, key: toKey },
    properties: createProperties(),
  };
}
