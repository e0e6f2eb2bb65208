/** What differs between the graphs of two moments. */
import type { GraphData, GraphEdge, GraphNode } from './graph-data.ts';

export type ChangeMark = 'came' | 'went' | 'changed';

/** Beside the colour. */
export const SIGNS = { came: '+', went: '−', changed: '~' } as const satisfies Record<ChangeMark, string>;

export interface ChangedField {
  readonly name: string;
  /** Absent if it was not there. */
  readonly old?: unknown;
  /** Absent if it is no longer there. */
  readonly new?: unknown;
}

export interface GraphChange {
  readonly kind: 'entity' | 'relationship';
  readonly id: string;
  readonly mark: ChangeMark;
  /** Of a relationship its ends and its verb. */
  readonly name: string;
  /** Of an entity. */
  readonly type?: string;
  /** Of one that changed. */
  readonly fields: readonly ChangedField[];
}

export interface ComparedGraph {
  /** All of either moment, as it was at the later one where it was there. */
  readonly data: GraphData;
  /** By the id of an entity or a relationship; the others are the same. */
  readonly marks: ReadonlyMap<string, ChangeMark>;
  /** Entities before relationships, by name. */
  readonly changes: readonly GraphChange[];
}

export function compareGraphs(before: GraphData, after: GraphData): ComparedGraph {
  const nodes = paired(before.nodes, after.nodes);
  const edges = paired(before.edges, after.edges);
  const names = new Map(nodes.map(({ shown }) => [shown.id, shown.name]));
  const changes = [
    ...nodes.flatMap(nodeChange).sort(byName),
    ...edges.flatMap((pair) => edgeChange(pair, names)).sort(byName),
  ];
  return {
    data: { nodes: nodes.map(({ shown }) => shown), edges: edges.map(({ shown }) => shown) },
    marks: new Map(changes.map(({ id, mark }) => [id, mark])),
    changes,
  };
}

interface Pair<Item> {
  readonly was: Item | undefined;
  readonly is: Item | undefined;
  /** The later one that is there. */
  readonly shown: Item;
}

function paired<Item extends { readonly id: string }>(
  before: readonly Item[],
  after: readonly Item[],
): readonly Pair<Item>[] {
  const was = new Map(before.map((item) => [item.id, item]));
  const is = new Map(after.map((item) => [item.id, item]));
  const gone = [...was.values()].filter(({ id }) => !is.has(id));
  return [
    ...Array.from(is.values(), (shown) => ({ was: was.get(shown.id), is: shown, shown })),
    ...gone.map((shown) => ({ was: shown, is: undefined, shown })),
  ];
}

function nodeChange({ was, is, shown }: Pair<GraphNode>): readonly GraphChange[] {
  const { id, name, type } = shown;
  if (was === undefined || is === undefined)
    return [{ kind: 'entity', id, mark: is === undefined ? 'went' : 'came', name, type, fields: [] }];
  const fields = changedFields(nodeFieldsOf(was), nodeFieldsOf(is));
  return fields.length === 0 ? [] : [{ kind: 'entity', id, mark: 'changed', name, type, fields }];
}

function edgeChange(
  { was, is, shown }: Pair<GraphEdge>,
  names: ReadonlyMap<string, string>,
): readonly GraphChange[] {
  const { id, from, to, verb } = shown;
  const name = `${names.get(from) ?? from} ─${verb}→ ${names.get(to) ?? to}`;
  const change = { kind: 'relationship', id, name } as const;
  if (was === undefined || is === undefined)
    return [{ ...change, mark: is === undefined ? 'went' : 'came', fields: [] }];
  const fields = changedFields(edgeFieldsOf(was), edgeFieldsOf(is));
  return fields.length === 0 ? [] : [{ ...change, mark: 'changed', fields }];
}

type Fields = ReadonlyMap<string, unknown>;

function changedFields(old: Fields, now: Fields): readonly ChangedField[] {
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names
    .filter((name) => JSON.stringify(old.get(name)) !== JSON.stringify(now.get(name)))
    .map((name) => ({
      name,
      ...(old.has(name) && { old: old.get(name) }),
      ...(now.has(name) && { new: now.get(name) }),
    }));
}

function nodeFieldsOf({ class: className, name, properties }: GraphNode): Fields {
  return fieldsOf({ class: className, display_name: name }, properties);
}

function edgeFieldsOf({ verb, properties }: GraphEdge): Fields {
  return fieldsOf({ _verb: verb }, properties);
}

/** A property with the name of a field of the record itself is `properties.<name>`, as in PQL. */
function fieldsOf(own: GraphNode['properties'], properties: GraphNode['properties']): Fields {
  const fields = new Map(Object.entries(own));
  for (const [name, value] of Object.entries(properties))
    fields.set(Object.hasOwn(own, name) ? `properties.${name}` : name, value);
  return fields;
}

function byName(a: GraphChange, b: GraphChange): number {
  return a.name.localeCompare(b.name, 'en') || a.id.localeCompare(b.id, 'en');
}
