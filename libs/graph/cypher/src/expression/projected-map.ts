import type { PropertyGraph } from '../graph/property-graph.port.ts';
import { typeFault } from '../value/arithmetic.ts';
import { type CypherMap, isMap, LinkValue, NodeValue, typeName, type Value } from '../value/value.ts';

/** `n {.*, key: value}`; null of null. */
export function projectedMap(graph: PropertyGraph, subject: Value, hasAll: boolean, entries: Value): Value {
  if (subject === null) return null;
  const all = hasAll ? propertiesOf(graph, subject) : new Map<string, Value>();
  return isMap(entries) ? new Map([...all, ...entries]) : all;
}

/** The properties of a node, a relationship or a map. */
export function propertiesOf(graph: PropertyGraph, subject: Value): CypherMap {
  if (subject instanceof NodeValue) return graph.nodeProperties(subject.node);
  if (subject instanceof LinkValue) return graph.linkProperties(subject.link);
  if (isMap(subject)) return subject;
  throw typeFault(`expected a Node, a Relationship or a Map, got ${typeName(subject)}`);
}
