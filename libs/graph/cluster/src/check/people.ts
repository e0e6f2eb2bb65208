/** The graph in which the anomalies are described: people and their KNOWS relationships. */
import type { WriteReply } from '#graph/engine';
import type { GraphSnapshot } from '#graph/memory';
import { entityId, type EntityStatement, type RelationshipInput, relationshipId } from '#graph/model';
import { completed } from '#platform/foundation';
import { type CheckNode, numbered } from './check-nodes.ts';
import type { Seen } from './history.ts';

const TYPE = 'person';
const VERB = 'KNOWS';

export const person = (key: string, properties: EntityStatement['properties'] = {}): EntityStatement => ({
  ...end(key),
  class: 'Person',
  properties,
});

export const end = (key: string): { readonly type: string; readonly key: string } => ({ type: TYPE, key });

export const knows = (
  from: string,
  to: string,
  properties: RelationshipInput['properties'] = {},
): RelationshipInput => ({ from: end(from), verb: VERB, to: end(to), properties });

export const idOf = (key: string): string => entityId(TYPE, key);

/** `a` is a person, `a>b` a relationship; returns the number stored in each. */
export function valuesIn(snapshot: GraphSnapshot, items: readonly string[]): Seen['values'] {
  return new Map(items.map((item) => [item, valueIn(snapshot, item)]));
}

/** Reads `items` from one snapshot of a node. */
export function seenOn(node: CheckNode, items: readonly string[]): Seen {
  const snapshot = node.graph.snapshot();
  const seen = { seq: snapshot.snapshotVersion, values: valuesIn(snapshot, items) };
  snapshot.release();
  return seen;
}

/** Counts the people with a value of the property `group`. */
export function countIn(snapshot: GraphSnapshot, group: string): number {
  const test = { matches: (value: unknown) => value === group, equals: [group] };
  return completed(snapshot.count({ names: [TYPE], filter: { kind: 'test', field: 'group', test } }));
}

/** Writes one number into people and their relationships in one request. */
export function setAll(
  node: CheckNode,
  items: readonly string[],
  n: number,
): Promise<{ readonly seq: number; readonly reply: WriteReply }> {
  const pairs = items.map((item) => item.split('>'));
  return numbered(() =>
    node.graph.write({
      entities: pairs.flatMap(([key = '', to]) => (to === undefined ? [person(key, { n })] : [])),
      relationships: pairs.flatMap(([from = '', to]) => (to === undefined ? [] : [knows(from, to, { n })])),
    }),
  );
}

export const setTo = (items: readonly string[], n: number): ReadonlyMap<string, number> =>
  new Map(items.map((item) => [item, n]));

function valueIn(snapshot: GraphSnapshot, item: string): number | undefined {
  const [from = '', to] = item.split('>');
  const id = idOf(from);
  if (to === undefined) {
    const node = snapshot.nodeById(id);
    return node < 0 ? undefined : Number(snapshot.nodeField(node, 'n'));
  }
  const link = snapshot.linkById(relationshipId(id, VERB, idOf(to)));
  return link < 0 ? undefined : Number(snapshot.linkField(link, 'n'));
}
