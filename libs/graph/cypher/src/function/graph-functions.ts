/** Functions of nodes, relationships and paths. */
import { numericId } from '../graph/numeric-id.ts';
import { runtimeFault } from '../syntax/fault.ts';
import { pointComponent, PointValue } from '../value/point.ts';
import { componentOf } from '../value/temporal/components.ts';
import { isTemporal } from '../value/temporal/temporal.ts';
import { isMap, LinkValue, NodeValue, PathValue, type Value } from '../value/value.ts';
import { asText, type CypherFunction, type FunctionTable, unary, wrongType, wrongValue } from './function.ts';

export const GRAPH_FUNCTIONS: FunctionTable = {
  labels: unary((value, { graph }) => {
    if (value instanceof NodeValue) return graph.labels(value.node);
    throw wrongType('labels', 'a Node', value);
  }),
  type: unary((value, { graph }) => {
    if (value instanceof LinkValue) return graph.type(value.link);
    throw wrongType('type', 'a Relationship', value);
  }),
  id: unary((value, { graph }) => {
    if (value instanceof NodeValue) return BigInt(numericId(graph.nodeElementId(value.node)));
    if (value instanceof LinkValue) return BigInt(numericId(graph.linkElementId(value.link)));
    throw wrongType('id', 'a Node or a Relationship', value);
  }),
  elementId: unary((value, { graph }) => {
    if (value instanceof NodeValue) return graph.nodeElementId(value.node);
    if (value instanceof LinkValue) return graph.linkElementId(value.link);
    throw wrongType('elementId', 'a Node or a Relationship', value);
  }),
  startNode: unary((value, { graph }) => new NodeValue(graph.start(linkOf('startNode', value)))),
  endNode: unary((value, { graph }) => new NodeValue(graph.end(linkOf('endNode', value)))),
  properties: unary((value, { graph }) => {
    if (isMap(value)) return value;
    if (value instanceof NodeValue) return graph.nodeProperties(value.node);
    if (value instanceof LinkValue) return graph.linkProperties(value.link);
    throw wrongType('properties', 'a Node, a Relationship or a Map', value);
  }),
  keys: unary((value, { graph }) => {
    if (isMap(value)) return [...value.keys()];
    if (value instanceof NodeValue) return [...graph.nodeProperties(value.node).keys()];
    if (value instanceof LinkValue) return [...graph.linkProperties(value.link).keys()];
    throw wrongType('keys', 'a Node, a Relationship or a Map', value);
  }),
  nodes: unary((value) => pathOf('nodes', value).nodes),
  relationships: unary((value) => pathOf('relationships', value).links),
  length: unary((value) => BigInt(pathOf('length', value).links.length)),
  /** There is one database. */
  'db.nameFromElementId': unary((value) => (asText('db.nameFromElementId', value), 'neo4j')),
  exists: { min: 1, max: 1, takesNull: true, apply: ([value = null]) => value !== null && value !== false },
};

function linkOf(name: string, value: Value): number {
  if (value instanceof LinkValue) return value.link;
  throw wrongType(name, 'a Relationship', value);
}

function pathOf(name: string, value: Value): PathValue {
  if (value instanceof PathValue) return value;
  throw wrongType(name, 'a Path', value);
}

/** The property of a node, a relationship or a map. */
export function propertyOf(
  graph: Parameters<CypherFunction['apply']>[1]['graph'],
  subject: Value,
  key: string,
): Value {
  if (subject === null) return null;
  if (subject instanceof NodeValue) return graph.nodeProperty(subject.node, key);
  if (subject instanceof LinkValue) return graph.linkProperty(subject.link, key);
  if (isMap(subject)) return subject.get(key) ?? null;
  if (isTemporal(subject)) return componentOf(subject, key);
  if (subject instanceof PointValue) return componentOfPoint(subject, key);
  throw runtimeFault(
    'InvalidArgumentType',
    'Neo.ClientError.Statement.TypeError',
    `.${key}: expected a Node, a Relationship, a Map, a Point or a temporal value`,
  );
}

function componentOfPoint(point: PointValue, key: string): Value {
  const value = pointComponent(point, key);
  if (value !== undefined) return value;
  throw wrongValue(
    `a Point has no component ${key}: expected x, y, z, longitude, latitude, height, crs or srid`,
  );
}
