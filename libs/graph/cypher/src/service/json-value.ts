/** Values as JSON, as replies have them. */
import type { GraphReader } from '#graph/execution';
import { isList, isMap, LinkValue, NodeValue, PathValue, type Value } from '../value/value.ts';

/**
 * A plain value for JSON.stringify: an integer beyond 2^53, NaN and ±Infinity are strings, as are temporal
 * values and points.
 */
export function jsonValueOf(value: Value, reader: GraphReader): unknown {
  switch (typeof value) {
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'object':
      return value === null ? null : jsonObjectOf(value, reader);
    default:
      return value;
  }
}

function jsonObjectOf(value: Extract<Value, object>, reader: GraphReader): unknown {
  if (isList(value)) return value.map((item) => jsonValueOf(item, reader));
  if (isMap(value))
    return Object.fromEntries([...value].map(([key, item]) => [key, jsonValueOf(item, reader)]));
  if (value instanceof NodeValue) return reader.entity(value.node);
  if (value instanceof LinkValue) return reader.relationship(value.link);
  if (!(value instanceof PathValue)) return value.toString();
  return {
    nodes: value.nodes.map(({ node }) => reader.entity(node)),
    relationships: value.links.map(({ link }) => reader.relationship(link)),
  };
}
