/** Converts gRPC answers to the form of REST. */
import type {
  CellWire,
  EntityWire,
  GroupWire,
  PlanWire,
  QueryItemWire,
  RelationshipWire,
  ValueWire,
  WarningWire,
} from '#graph/api/grpc';
import type { QueryAnswer } from './graph-caller.ts';

type Plain = Readonly<Record<string, unknown>>;

export function plainValue(value: ValueWire): unknown {
  switch (value.kind) {
    case 'int64Value':
      return Number(value.int64Value);
    case 'doubleValue':
      return value.doubleValue;
    case 'stringValue':
      return value.stringValue;
    case 'boolValue':
      return value.boolValue;
    case 'listValue':
      return value.listValue?.values.map(plainValue);
    case 'nullValue':
      return null;
    default:
      throw new Error(`no such value here: ${JSON.stringify(value)}`);
  }
}

export function plainEntity(entity: EntityWire): Plain {
  const { id, type, class: name, key, displayName, labels } = entity;
  const named = { id, type, class: name, key, display_name: displayName };
  return { ...named, ...(labels.length > 0 && { labels }), ...stamped(entity) };
}

export function plainRelationship(relationship: RelationshipWire): Plain {
  const { id, verb, from, to, key } = relationship;
  return { id, verb, from, to, ...(key !== undefined && { key }), ...stamped(relationship) };
}

/** `nearest` as a list. */
export function plainWarnings(warnings: readonly WarningWire[]): readonly Plain[] {
  return warnings.map(({ code, message, nearest, position }) => ({
    code,
    message,
    nearest,
    ...(position !== undefined && { position }),
  }));
}

/** An answer without the fields of a page. */
export function plainAnswer({ head, items, summary }: QueryAnswer): Plain {
  const { plan } = summary;
  return {
    count: Number(summary.count),
    ...(head.columns.length > 0 && { columns: head.columns }),
    items: items.map(plainItem),
    warnings: plainWarnings(summary.warnings),
    snapshot_version: Number(head.snapshotVersion),
    impacted_by_class: Object.fromEntries(
      Object.entries(summary.impactedByClass).map(([name, count]) => [name, Number(count)]),
    ),
    plan: plan === null ? undefined : plainPlan(plan),
  };
}

function stamped({ properties, source, ...record }: EntityWire | RelationshipWire): Plain {
  const { createdAt, updatedAt, lastSeenAt, deletedAt, version } = record;
  return {
    properties: mapped(properties, plainValue),
    source: { connector_id: source?.connectorId, sync_id: source?.syncId, synced_at: source?.syncedAt },
    created_at: createdAt,
    updated_at: updatedAt,
    last_seen_at: lastSeenAt,
    deleted_at: deletedAt ?? null,
    version: Number(version),
  };
}

function plainItem({ entity, row, group, path, impacted }: QueryItemWire): unknown {
  if (entity !== undefined) return plainEntity(entity);
  if (row !== undefined) return row.cells.map(plainCell);
  if (group !== undefined) return plainGroup(group);
  if (path !== undefined) {
    const { nodes, relationships } = path;
    return {
      hops: relationships.length,
      nodes: nodes.map(plainEntity),
      relationships: relationships.map(plainRelationship),
    };
  }
  const { entity: reached = null, via = null, depth } = impacted ?? {};
  if (reached === null || via === null) throw new Error('expected an item');
  return {
    entity: plainEntity(reached),
    depth,
    via: plainRelationship(via),
  };
}

function plainGroup({ keys, count, aggregates }: GroupWire): Plain {
  const [key, ...others] = keys.map(plainCell);
  return {
    ...mapped(aggregates, plainCell),
    key,
    ...(others.length > 0 && { keys: [key, ...others] }),
    count: Number(count),
  };
}

function plainCell({ value, entity, relationship }: CellWire): unknown {
  if (entity !== undefined) return plainEntity(entity);
  if (relationship !== undefined) return plainRelationship(relationship);
  return value === undefined ? undefined : plainValue(value);
}

function plainPlan({ operator, detail, children, estimatedRows }: PlanWire): Plain {
  return {
    operator,
    detail,
    children: children.map(plainPlan),
    ...(estimatedRows !== undefined && { estimated_rows: estimatedRows }),
  };
}

function mapped<Value>(values: Readonly<Record<string, Value>>, plain: (value: Value) => unknown): Plain {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, plain(value)]));
}
