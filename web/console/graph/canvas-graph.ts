/** What the canvas draws: nodes and edges with their places, sizes and curves. */
import { MultiDirectedGraph } from 'graphology';
import { iconAddress } from './class-icons.ts';
import { captionOf, type ClassStyle, classStyles, colorOf } from './class-styles.svelte.ts';
import type { CanvasSnapshot } from './canvas-state.ts';
import type { GraphData, GraphEdge, GraphNode } from './graph-data.ts';
import type { Position } from './layered-layout.ts';

export interface NodeAttributes {
  x: number;
  y: number;
  size: number;
  color: string;
  label: string;
  type: 'circle' | 'icon';
  /** The address of the icon; empty: none. */
  image: string;
  readonly node: GraphNode;
  /** Layouts do not move it. */
  fixed: boolean;
}

export interface EdgeAttributes {
  readonly label: string;
  readonly edge: GraphEdge;
  readonly size: number;
  /** Of several relationships between two nodes, all but one are curved. */
  type: 'arrow' | 'curved';
  curvature: number;
}

export type CanvasGraph = MultiDirectedGraph<NodeAttributes, EdgeAttributes>;

export const EDGE_SIZE = 0.7;
const SIZE_MIN = 4;
const SIZE_MAX = 14;
const FULL_SIZE_NODES = 1_500;
/** How far neighbouring parallel relationships are apart, as a share of their length. */
const BEND = 0.3;
const BENDS_MAX = 1.5;

export function emptyGraph(): CanvasGraph {
  return new MultiDirectedGraph<NodeAttributes, EdgeAttributes>();
}

/** A sunflower pattern around a place: even and deterministic. */
export function sunflower(index: number, origin: Position | undefined): Position {
  const angle = index * 2.399963;
  const radius = Math.sqrt(index + 1) * (origin === undefined ? 10 : 2);
  return {
    x: (origin?.x ?? 0) + radius * Math.cos(angle),
    y: (origin?.y ?? 0) + radius * Math.sin(angle),
  };
}

export function addNode(graph: CanvasGraph, node: GraphNode, { x, y }: Position): void {
  const look = { size: SIZE_MIN, color: '', label: node.name, type: 'circle', image: '' } as const;
  graph.addNode(node.id, { ...look, x, y, node, fixed: false });
}

/** Adds those whose ends are there, once each. */
export function addEdges(graph: CanvasGraph, edges: GraphData['edges']): void {
  const pairs = new Map<string, readonly [string, string]>();
  for (const edge of edges) {
    const { id, from, to, verb } = edge;
    if (graph.hasEdge(id) || !graph.hasNode(from) || !graph.hasNode(to)) continue;
    graph.addEdgeWithKey(id, from, to, { label: verb, edge, size: EDGE_SIZE, type: 'arrow', curvature: 0 });
    if (from !== to) pairs.set(from < to ? `${from} ${to}` : `${to} ${from}`, [from, to]);
  }
  for (const [from, to] of pairs.values()) bend(graph, from, to);
}

/** Curves the relationships between two nodes apart. */
function bend(graph: CanvasGraph, from: string, to: string): void {
  const parallel = [...new Set([...graph.edges(from, to), ...graph.edges(to, from)])];
  if (parallel.length < 2) return;
  const step = Math.min(BEND, BENDS_MAX / parallel.length);
  parallel.forEach((id, index) => {
    const offset = (index - (parallel.length - 1) / 2) * step;
    const sign = graph.source(id) === from ? 1 : -1;
    graph.mergeEdgeAttributes(id, { type: offset === 0 ? 'arrow' : 'curved', curvature: offset * sign });
  });
}

/** Sizes by degree, and the styles of classes; nodes are smaller in large graphs. */
export function dressNodes(graph: CanvasGraph, styles: ReadonlyMap<string, ClassStyle>): void {
  const scale = Math.min(1, (FULL_SIZE_NODES / Math.max(1, graph.order)) ** 0.35);
  graph.updateEachNodeAttributes((id, attributes) => {
    const { node } = attributes;
    const style = styles.get(node.class) ?? {};
    return {
      ...attributes,
      color: colorOf(node.class, style),
      label: captionOf(node, style),
      type: style.icon === undefined ? 'circle' : 'icon',
      image: style.icon === undefined ? '' : iconAddress(style.icon),
      size:
        scale *
        Math.min(SIZE_MAX, SIZE_MIN + Math.sqrt(graph.degree(id)) * 1.2 + (style.icon === undefined ? 0 : 3)),
    };
  });
}

/** The first nodes whose name or key contains the text, which is in lower case. */
export function foundNodes(graph: CanvasGraph, wanted: string, max: number): readonly GraphNode[] {
  const found: GraphNode[] = [];
  if (wanted === '') return found;
  graph.findNode((_id, { node }) => {
    if (node.name.toLowerCase().includes(wanted) || node.key.toLowerCase().includes(wanted)) found.push(node);
    return found.length >= max;
  });
  return found;
}

export function snapshotOf(graph: CanvasGraph, hiddenClasses: Iterable<string>): CanvasSnapshot {
  const places = new Float64Array(2 * graph.order);
  const pinned = new Set<string>();
  const nodes: GraphNode[] = [];
  graph.forEachNode((id, { node, x, y, fixed }) => {
    places.set([x, y], 2 * nodes.length);
    nodes.push(node);
    if (fixed) pinned.add(id);
  });
  const edges = graph.mapEdges((_id, { edge }) => edge);
  const size = nodes.length + edges.length + 1;
  return { nodes, places, pinned, edges, hiddenClasses: [...hiddenClasses], size };
}

/** The graph becomes what it was. */
export function restoreGraph(graph: CanvasGraph, { nodes, places, pinned, edges }: CanvasSnapshot): void {
  graph.clear();
  nodes.forEach((node, index) => {
    addNode(graph, node, { x: places[2 * index] ?? 0, y: places[2 * index + 1] ?? 0 });
    if (pinned.has(node.id)) graph.setNodeAttribute(node.id, 'fixed', true);
  });
  addEdges(graph, edges);
}

export interface LegendEntry {
  readonly name: string;
  readonly count: number;
  readonly color: string;
}

export function legendOf(graph: CanvasGraph): readonly LegendEntry[] {
  const counts = classCounts(graph.mapNodes((_id, { node }) => node));
  return counts.map(([name, count]) => ({ name, count, color: colorOf(name, classStyles.of(name)) }));
}

/** The classes of some nodes with their numbers, the most frequent first. */
export function classCounts(nodes: readonly GraphNode[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { class: name } of nodes) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b, 'en'));
}
