/** The canvas as a saved view and an address keep it: ids, places and pins. */
import type { KeptCanvasDto } from '../api/generated/types.gen.ts';
import type { GraphData, GraphEdge, GraphNode } from './graph-data.ts';

export type CanvasState = KeptCanvasDto;

/** The whole content of the canvas at a moment. */
export interface CanvasSnapshot {
  readonly nodes: readonly GraphNode[];
  /** x and y of each node. */
  readonly places: Float64Array;
  readonly pinned: ReadonlySet<string>;
  readonly edges: readonly GraphEdge[];
  readonly hiddenClasses: readonly string[];
  readonly size: number;
}

/** The canvas of a tab. */
export interface CanvasReader {
  /** Undefined if there is more than a view keeps. */
  readonly read: () => CanvasState | undefined;
  /** Whether the user has changed what was drawn at first. */
  readonly isChanged: boolean;
  /** Brings an entity or a relationship into view. */
  readonly show: (id: string) => void;
}

/** What the service keeps of one view. */
const NODES_MAX = 5_000;
const EDGES_MAX = 10_000;
/** Longer addresses are cut by programs through which they are sent. */
const ADDRESS_MAX = 8_000;
const DIGITS = 5;
const ID = /^[0-9a-f]{32}$/;

export function isKept({ nodes, edges }: { readonly nodes: number; readonly edges: number }): boolean {
  return nodes <= NODES_MAX && edges <= EDGES_MAX;
}

export function stateOf({ nodes, places, pinned, edges, hiddenClasses }: CanvasSnapshot): CanvasState {
  return {
    nodes: nodes.map(({ id }, index) => ({
      id,
      x: rounded(places[2 * index] ?? 0),
      y: rounded(places[2 * index + 1] ?? 0),
      pinned: pinned.has(id),
    })),
    relationships: edges.map(({ id }) => id),
    hidden_classes: [...hiddenClasses],
  };
}

/** The drawn part of some records, in its places. */
export function snapshotFrom(state: CanvasState, { nodes, edges }: GraphData): CanvasSnapshot {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const kept = state.nodes.flatMap((place) => {
    const node = byId.get(place.id);
    return node === undefined ? [] : [{ node, place }];
  });
  const drawn = new Set(state.relationships);
  const shown = edges.filter(({ id }) => drawn.has(id));
  return {
    nodes: kept.map(({ node }) => node),
    places: Float64Array.from(kept.flatMap(({ place: { x, y } }) => [x, y])),
    pinned: new Set(state.nodes.filter(({ pinned }) => pinned).map(({ id }) => id)),
    edges: shown,
    hiddenClasses: state.hidden_classes,
    size: kept.length + shown.length + 1,
  };
}

/** For an address; undefined if it would be too long. */
export function canvasText({
  nodes,
  relationships,
  hidden_classes: hidden,
}: CanvasState): string | undefined {
  const places = nodes.map(({ id, x, y, pinned }) => `${id}${x}_${y}${pinned ? '_p' : ''}`);
  const text = [places, relationships, hidden.map(classText)].map((part) => part.join('*')).join('!');
  return text.length > ADDRESS_MAX ? undefined : text;
}

/** Undefined for a text that is none: somebody has cut or changed the address. */
export function canvasOf(text: string): CanvasState | undefined {
  const [places = '', ids = '', classes = ''] = text.split('!');
  const nodes = partsOf(places).map(placeOf);
  const relationships = partsOf(ids);
  if (!relationships.every((id) => ID.test(id))) return undefined;
  if (!nodes.every((node) => node !== undefined)) return undefined;
  try {
    return { nodes, relationships, hidden_classes: partsOf(classes).map(decodeURIComponent) };
  } catch {
    return undefined;
  }
}

/** Without the signs that part the address. */
function classText(name: string): string {
  return encodeURIComponent(name).replaceAll('*', '%2A').replaceAll('!', '%21');
}

function partsOf(text: string): string[] {
  return text === '' ? [] : text.split('*');
}

function placeOf(text: string): CanvasState['nodes'][number] | undefined {
  const id = text.slice(0, 32);
  const [x, y, pin] = text.slice(32).split('_');
  const place = { x: Number(x || NaN), y: Number(y || NaN) };
  if (!ID.test(id) || !Number.isFinite(place.x) || !Number.isFinite(place.y)) return undefined;
  return { id, ...place, pinned: pin === 'p' };
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
