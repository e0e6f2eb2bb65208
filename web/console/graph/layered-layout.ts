import type { GraphData } from './graph-data.ts';

export interface Position {
  readonly x: number;
  readonly y: number;
}

/** The size of a drawing, in pixels. */
export interface Extent {
  readonly width: number;
  readonly height: number;
}

/** A column with more nodes than this becomes several, so that they do not lie over each other. */
const ROWS_MAX = 20;
/** From a node with its name to the next one, in pixels. */
const COLUMN_PX = 180;
const ROW_PX = 40;
/** How much wider than high that is; positions are in columns and rows. */
export const COLUMN_ROWS = COLUMN_PX / ROW_PX;
/** Rows between a line of columns and the next one. */
const GAP_ROWS = 1;

/**
 * Columns by the number of hops from the origin of each connected part: for paths and blast radii. The
 * origins are the nodes without incoming edges, or those without outgoing ones if these are fewer (a blast
 * radius against the relationships). Columns are centred; if they have no room in one line, they go on in a
 * next one, from its other side, like a road up a mountain.
 */
export function layeredLayout({ nodes, edges }: GraphData, room: Extent): ReadonlyMap<string, Position> {
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
  const count = heights.reduce((sum, height) => sum + Math.ceil(height / ROWS_MAX), 0);
  const rows = Math.min(ROWS_MAX, Math.max(0, ...heights));
  const ofLine = columnsOfLine(count, rows, room);
  const placed = Array.from(positions, ([id, { x: layer, y: row }]) => {
    const height = Math.min(ROWS_MAX, heights[layer] ?? 0);
    const column = (starts[layer] ?? 0) + Math.floor(row / ROWS_MAX);
    const line = Math.floor(column / ofLine);
    const at = column % ofLine;
    const x = line % 2 === 0 ? at : ofLine - 1 - at;
    return [id, { x, y: height / 2 - (row % ROWS_MAX) - line * (rows + GAP_ROWS) }] as const;
  });
  return new Map(placed);
}

/** As many columns in a line as let the drawing be largest; all, if they have room. */
function columnsOfLine(count: number, rows: number, { width, height }: Extent): number {
  const scaleOf = (columns: number): number => {
    const lines = Math.ceil(count / columns);
    const across = Math.max(1, (columns - 1) * COLUMN_PX);
    const down = Math.max(1, (lines * (rows + GAP_ROWS) - GAP_ROWS - 1) * ROW_PX);
    return Math.min(1, width / across, height / down);
  };
  let best = Math.max(1, count);
  for (let columns = best - 1; columns > 0; columns--) if (scaleOf(columns) > scaleOf(best)) best = columns;
  return best;
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
