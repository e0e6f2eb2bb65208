import { type Event, EVENT_ID, getScalarValue } from 'js-yaml';

/** Where a value and its descendants begin, as offsets into the text. */
export interface PlaceTree {
  readonly start: number;
  /** Offset of the value's key; for a list item, of the item. */
  readonly keyStart: number;
  readonly children: Map<string | number, PlaceTree>;
}

interface OpenCollection {
  readonly tree: PlaceTree;
  readonly isMap: boolean;
  /** The key of the next value. */
  key: { readonly name: string; readonly start: number } | undefined;
}

/** The places of the first document. The parser emits events in the order of the text. */
export function placesIn(events: readonly Event[], text: string): PlaceTree {
  const root: PlaceTree = { start: 0, keyStart: 0, children: new Map() };
  const open: (OpenCollection | undefined)[] = [];
  for (const event of events) {
    if (event.type === EVENT_ID.POP) open.pop();
    else if (event.type === EVENT_ID.DOCUMENT) open.push({ tree: root, isMap: false, key: undefined });
    else enter(event, open, text);
  }
  return root.children.get(0) ?? root;
}

/** The start of a document's first value; the end of the text for an empty document. */
export function documentStart(events: readonly Event[], document: number, text: string): number {
  const starts = events.flatMap(({ type }, at) => (type === EVENT_ID.DOCUMENT ? [at] : []));
  const first = events[(starts[document] ?? events.length) + 1];
  const isNode = first !== undefined && first.type !== EVENT_ID.POP && first.type !== EVENT_ID.DOCUMENT;
  return isNode ? startOf(first) : text.length;
}

type NodeEvent = Exclude<Event, { type: typeof EVENT_ID.POP | typeof EVENT_ID.DOCUMENT }>;

function enter(event: NodeEvent, open: (OpenCollection | undefined)[], text: string): void {
  const parent = open.at(-1);
  const start = startOf(event);
  const isCollection = event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE;
  if (parent?.isMap === true && parent.key === undefined) {
    parent.key = { name: event.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : '', start };
    if (isCollection) open.push(undefined);
    return;
  }
  const tree = addChild(parent, start);
  if (isCollection) open.push({ tree, isMap: event.type === EVENT_ID.MAPPING, key: undefined });
}

/**
 * Places below a collection used as a key are not recorded. An empty value has no start and gets that of its
 * key.
 */
function addChild(parent: OpenCollection | undefined, valueStart: number): PlaceTree {
  const key = parent?.key;
  const start = valueStart >= 0 ? valueStart : (key?.start ?? parent?.tree.start ?? 0);
  const tree: PlaceTree = { start, keyStart: key?.start ?? start, children: new Map() };
  if (parent === undefined) return tree;
  parent.tree.children.set(key?.name ?? parent.tree.children.size, tree);
  parent.key = undefined;
  return tree;
}

function startOf(event: NodeEvent): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  return event.type === EVENT_ID.ALIAS ? event.anchorStart : event.start;
}
