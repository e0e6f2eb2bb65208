import type { GraphData } from './graph-data.ts';

export interface Position {
  readonly x: number;
  readonly y: number;
}

/** A column with more nodes than this becomes several, so that they do not lie over each other. */
const ROWS_MAX = 20;

/**
 * Columns by the number of hops from the origin of each connected part: for paths and blast radii. The
 * origins are the nodes without incoming edges, or those without outgoing ones if these are fewer (a blast
 * radius against the relationships). Columns are centred.
 */
export function layeredLayout({ nodes, edges }: GraphData): ReadonlyMap<string, Position> {
  const neighbors = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  const entered = new Set<string>();
  const left = new Set<string>();
  for (const { from, to } of edges) {
    neighbors.get(from)?.push(to);
    neighbors.get(to)?.push(from);
    entered.add(to);
    left.add(from);
  }
  const positions = new Map<string, Position>();
  const heights: number[] = [];
  const inner = entered.size >= left.size ? entered : left;
  const firsts = [...nodes].sort((a, b) => Number(inner.has(a.id)) - Number(inner.has(b.id)));
  for (const { id } of firsts) {
    if (!positions.has(id)) placePart(id, neighbors, { positions, heights });
  }
  const starts = columnStarts(heights);
  const centred = Array.from(positions, ([id, { x: layer, y: row }]) => {
    const height = Math.min(ROWS_MAX, heights[layer] ?? 0);
    const x = (starts[layer] ?? 0) + Math.floor(row / ROWS_MAX);
    return [id, { x, y: height / 2 - (row % ROWS_MAX) }] as const;
  });
  return new Map(centred);
}

/** The first column of each layer. */
function columnStarts(heights: readonly number[]): readonly number[] {
  let next = 0;
  return heights.map((height) => {
    const start = next;
    next += Math.ceil(height / ROWS_MAX);
    return start;
  });
}

/** Gives the nodes of a part their layers and rows. */
function placePart(
  start: string,
  neighbors: ReadonlyMap<string, readonly string[]>,
  { positions, heights }: { positions: Map<string, Position>; heights: number[] },
): void {
  let layer = [start];
  const reached = new Set(layer);
  for (let x = 0; layer.length > 0; x++) {
    for (const id of layer) {
      const y = heights[x] ?? 0;
      heights[x] = y + 1;
      positions.set(id, { x, y });
    }
    const next = layer.flatMap((id) => neighbors.get(id) ?? []).filter((id) => !reached.has(id));
    layer = [...new Set(next)];
    for (const id of layer) reached.add(id);
  }
}
