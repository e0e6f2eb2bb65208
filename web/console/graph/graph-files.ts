/** A graph as GraphML and as SVG. */
import { curveOf, pointOn } from './edge-hit.ts';
import type { GraphData, GraphEdge } from './graph-data.ts';
import type { Position } from './layered-layout.ts';

export interface DrawnNode extends Position {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  readonly size: number;
}

export interface DrawnEdge {
  readonly edge: GraphEdge;
  /** As the canvas bends it. */
  readonly curvature: number;
}

export interface Drawing {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

const KEYS = ['type', 'class', 'key', 'name'] as const;
const MARGIN = 40;
const LABELS_MAX = 400;
const ARROW =
  '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#8a93a0" stroke="none"/></marker></defs>';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Characters that XML 1.0 does not allow are removed. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(FORBIDDEN, '')
    .replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}

/** Nodes with type, class, key and name; edges with their verb. Edges without both ends are omitted. */
export function graphMlOf({ nodes, edges }: GraphData): string {
  const ids = new Set(nodes.map(({ id }) => id));
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ...KEYS.map((name) => `  <key id="${name}" for="node" attr.name="${name}" attr.type="string"/>`),
    '  <key id="verb" for="edge" attr.name="verb" attr.type="string"/>',
    '  <graph edgedefault="directed">',
    ...nodes.map((node) => {
      const data = KEYS.map((name) => `<data key="${name}">${escaped(node[name])}</data>`).join('');
      return `    <node id="${escaped(node.id)}">${data}</node>`;
    }),
    ...edges
      .filter(({ from, to }) => ids.has(from) && ids.has(to))
      .map(({ id, verb, from, to }) => {
        const ends = `id="${escaped(id)}" source="${escaped(from)}" target="${escaped(to)}"`;
        return `    <edge ${ends}><data key="verb">${escaped(verb)}</data></edge>`;
      }),
    '  </graph>',
    '</graphml>',
  ];
  return `${lines.join('\n')}\n`;
}

/** The content of the canvas, scaled to a width; with the names of the larger nodes, arrows and verbs. */
export function svgOf(nodes: readonly DrawnNode[], edges: readonly DrawnEdge[], width = 1600): string {
  const xs = nodes.map(({ x }) => x);
  const ys = nodes.map(({ y }) => y);
  const [left, top] = [least(xs), greatest(ys)];
  const spread = Math.max(greatest(xs) - left, 1e-9);
  const scale = (width - 2 * MARGIN) / spread;
  const height = Math.ceil(Math.min((top - least(ys)) * scale, 10 * width)) + 2 * MARGIN;
  const placed = new Map(
    nodes.map(({ id, x, y, size }) => [
      id,
      { x: MARGIN + (x - left) * scale, y: MARGIN + (top - y) * scale, size },
    ]),
  );
  const named = new Set([...nodes].sort((a, b) => b.size - a.size).slice(0, LABELS_MAX));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    ARROW,
    '<g stroke="#8a93a0" fill="none">',
    ...edges.flatMap((edge) => lineOf(edge, placed, edges.length <= LABELS_MAX)),
    '</g>',
    ...nodes.map((node) => {
      const { x = 0, y = 0 } = placed.get(node.id) ?? {};
      const circle = `<circle cx="${short(x)}" cy="${short(y)}" r="${short(node.size)}" fill="${node.color}"/>`;
      if (!named.has(node)) return circle;
      return `${circle}<text x="${short(x + node.size + 2)}" y="${short(y + 4)}">${escaped(node.name)}</text>`;
    }),
    '</svg>\n',
  ].join('\n');
}

/** A curve with an arrow that ends at the rim of the node, and its verb in the middle. */
function lineOf(
  { edge, curvature }: DrawnEdge,
  placed: ReadonlyMap<string, Position & { readonly size: number }>,
  isNamed: boolean,
): readonly string[] {
  const [a, b] = [placed.get(edge.from), placed.get(edge.to)];
  if (a === undefined || b === undefined || edge.from === edge.to) return [];
  // In a picture y grows downwards: curves bend to the other side.
  const curve = curveOf(a, b, -curvature);
  const [dx, dy] = [b.x - curve.control.x, b.y - curve.control.y];
  const share = Math.max(0, 1 - (b.size + 1) / Math.max(Math.hypot(dx, dy), 1e-9));
  const end = { x: curve.control.x + dx * share, y: curve.control.y + dy * share };
  const path = `<path d="M${point(a)}Q${point(curve.control)} ${point(end)}" marker-end="url(#arrow)"/>`;
  if (!isNamed) return [path];
  const { x, y } = pointOn(curve, 0.5);
  const text = `<text x="${short(x)}" y="${short(y - 2)}" font-size="9" text-anchor="middle" fill="#5c6672" stroke="none">`;
  return [path, `${text}${escaped(edge.verb)}</text>`];
}

function point({ x, y }: Position): string {
  return `${short(x)} ${short(y)}`;
}

function short(value: number): string {
  return value.toFixed(1);
}

/** The least value, without spread arguments: 50,000 exceed the limit of some browsers. */
function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

function greatest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}
