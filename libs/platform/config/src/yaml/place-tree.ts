import { type Event, EVENT_ID, getScalarValue } from 'js-yaml';

/** Where a value and all below it begin, as offsets into the text. */
export interface PlaceTree {
  readonly start: number;
  /** Of the key that leads here; of an item of a list, its own start. */
  readonly keyStart: number;
  readonly children: Map<string | number, PlaceTree>;
}

interface OpenCollection {
  readonly tree: PlaceTree;
  readonly isMap: boolean;
  /** The key whose value comes next. */
  key: { readonly name: string; readonly start: number } | undefined;
}

/** The places of the first document; the parser's events come in the order of the text. */
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

/** Where the first value of a document begins; of one that has none, the end of the text. */
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
 * Below a collection that is a key itself there is no place to remember. An empty value has no start: it
 * stands where its key stands.
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
