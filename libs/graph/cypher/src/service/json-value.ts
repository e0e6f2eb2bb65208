/** Values as JSON, as replies have them. */
import type { Entity, Relationship } from '#graph/model';
import { isList, isMap, LinkValue, NodeValue, PathValue, type Value } from '../value/value.ts';

/** What stands for an element. */
export interface ElementForms {
  entity(node: number): unknown;
  relationship(link: number): unknown;
}

/** The records that elements are; null for one that the statement has deleted. */
export interface ElementDocuments extends ElementForms {
  readonly snapshotVersion: number;
  entity(node: number): Entity | null;
  relationship(link: number): Relationship | null;
}

/**
 * A plain value for JSON.stringify: an integer beyond 2^53, NaN and ±Infinity are strings, as are temporal
 * values and points.
 */
export function jsonValueOf(value: Value, documents: ElementForms): unknown {
  switch (typeof value) {
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'object':
      return value === null ? null : jsonObjectOf(value, documents);
    default:
      return value;
  }
}

function jsonObjectOf(value: Extract<Value, object>, documents: ElementForms): unknown {
  if (isList(value)) return value.map((item) => jsonValueOf(item, documents));
  if (isMap(value))
    return Object.fromEntries([...value].map(([key, item]) => [key, jsonValueOf(item, documents)]));
  if (value instanceof NodeValue) return documents.entity(value.node);
  if (value instanceof LinkValue) return documents.relationship(value.link);
  if (!(value instanceof PathValue)) return value.toString();
  return {
    nodes: value.nodes.map(({ node }) => documents.entity(node)),
    relationships: value.links.map(({ link }) => documents.relationship(link)),
  };
}
