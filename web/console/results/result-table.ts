/** Replies of the service as table rows: like the output of `plexus query`, with every property. */
import type { TableData } from '../../kit/table/table-data.ts';
import type {
  EntityDto,
  ImpactedDto,
  PathDto,
  QueryReplyDto,
  RelationshipDto,
} from '../api/generated/types.gen.ts';

const PROPERTY_COLUMNS_MAX = 80;
const RECORD_COLUMNS = ['type', 'key', 'display_name', 'class'] as const;
const STAMP_COLUMNS = ['updated_at', 'source'] as const;

/** All pages of one reply. */
export function resultTable(pages: readonly QueryReplyDto[]): TableData {
  const [first] = pages;
  if (first === undefined) return { columns: [], rows: [] };
  if (first.columns !== undefined) {
    return { columns: first.columns, rows: pages.flatMap(({ rows = [] }) => rows) };
  }
  if (first.groups !== undefined) return groupTable(pages.flatMap(({ groups = [] }) => groups));
  if (first.impacted !== undefined) return impactTable(pages.flatMap(({ impacted = [] }) => impacted));
  if (first.paths !== undefined) return pathTable(pages.flatMap(({ paths = [] }) => paths));
  if (first.entities.length === 0 && first.count > 0) return { columns: ['count'], rows: [[first.count]] };
  return entityTable(pages.flatMap(({ entities }) => entities));
}

/** Entities with their most frequent properties. */
export function entityTable(entities: readonly EntityDto[]): TableData {
  const properties = propertyNames(entities);
  return {
    columns: [...RECORD_COLUMNS, ...properties, ...STAMP_COLUMNS],
    rows: entities.map((entity) => [
      ...RECORD_COLUMNS.map((name) => entity[name]),
      ...properties.map((name) => entity.properties[name]),
      entity.updated_at,
      entity.source.connector_id,
    ]),
  };
}

/** The most frequent, in the order of their first appearance. */
function propertyNames(entities: readonly EntityDto[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { properties } of entities) {
    for (const name of Object.keys(properties)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (counts.size <= PROPERTY_COLUMNS_MAX) return [...counts.keys()];
  const frequent = [...counts].sort(([, a], [, b]) => b - a).slice(0, PROPERTY_COLUMNS_MAX);
  return frequent.map(([name]) => name);
}

/** Where `keys` exists, it includes the content of `key`. */
function groupTable(groups: readonly Readonly<Record<string, unknown>>[]): TableData {
  const [first = {}] = groups;
  const keys = Array.isArray(first['keys']) ? first['keys'].map((_key, i) => `key ${i + 1}`) : ['key'];
  const others = Object.keys(first).filter((name) => name !== 'key' && name !== 'keys');
  return {
    columns: [...keys, ...others],
    rows: groups.map((group) => {
      const own: readonly unknown[] = Array.isArray(group['keys']) ? group['keys'] : [group['key']];
      return [...own, ...others.map((name) => group[name])];
    }),
  };
}

function impactTable(impacted: readonly ImpactedDto[]): TableData {
  return {
    columns: ['depth', 'type', 'key', 'display_name', 'class', 'via', 'from'],
    rows: impacted.map(({ depth, entity, via }) => [
      depth,
      ...RECORD_COLUMNS.map((name) => entity[name]),
      via.verb,
      via.from.id === entity.id ? via.to.key : via.from.key,
    ]),
  };
}

/** A path is a row for each of its entities, with the relationship that leads to it. */
function pathTable(paths: readonly PathDto[]): TableData {
  return {
    columns: ['path', 'hop', 'via', 'type', 'key', 'display_name', 'class'],
    rows: paths.flatMap(({ nodes, relationships }, path) =>
      nodes.map((node, hop) => [
        path + 1,
        hop,
        step(relationships[hop - 1], node),
        ...RECORD_COLUMNS.map((name) => node[name]),
      ]),
    ),
  };
}

function step(relationship: RelationshipDto | undefined, node: EntityDto): string {
  if (relationship === undefined) return '';
  return relationship.to.id === node.id ? `─${relationship.verb}→` : `←${relationship.verb}─`;
}
