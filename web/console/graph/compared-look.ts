/** How the canvas draws what differs between two moments: by colour, and by a sign before the name. */
import { type ChangeMark, SIGNS } from './compare-graphs.ts';
import type { CanvasColors } from './canvas-drawing.ts';
import { type CanvasGraph, EDGE_SIZE, type EdgeAttributes, type NodeAttributes } from './canvas-graph.ts';
import type { Drawing } from './graph-files.ts';

/** Up to this number all of them show their names. */
const NAMED_MAX = 60;

export class ComparedLook {
  colors: CanvasColors;
  #marks: ReadonlyMap<string, ChangeMark> | undefined;

  constructor(colors: CanvasColors) {
    this.colors = colors;
  }

  /** Undefined: nothing is compared. */
  set marks(marks: ReadonlyMap<string, ChangeMark> | undefined) {
    this.#marks = marks;
  }

  node(id: string, data: NodeAttributes): NodeAttributes & { forceLabel?: boolean; zIndex?: number } {
    if (this.#marks === undefined) return data;
    const mark = this.#marks.get(id);
    // What is the same steps back.
    if (mark === undefined) return { ...data, color: this.colors.edge };
    return {
      ...data,
      color: this.colors.marks[mark],
      label: `${SIGNS[mark]} ${data.label}`,
      forceLabel: this.#marks.size <= NAMED_MAX,
      zIndex: 1,
    };
  }

  edge(id: string, data: EdgeAttributes): EdgeAttributes & { color?: string; zIndex?: number } {
    const mark = this.#marks?.get(id);
    if (mark === undefined) return data;
    const label = `${SIGNS[mark]} ${data.label}`;
    return { ...data, color: this.colors.marks[mark], label, size: 3 * EDGE_SIZE, zIndex: 1 };
  }
}

/** What is shown of a canvas. */
export function drawnOf(graph: CanvasGraph, hidden: ReadonlySet<string>, look: ComparedLook): Drawing {
  const ids = graph.filterNodes((_id, { node }) => !hidden.has(node.class));
  return {
    nodes: ids.map((id) => {
      const { x, y, size, color, label: name } = look.node(id, graph.getNodeAttributes(id));
      return { id, name, color, size, x, y };
    }),
    edges: graph.mapEdges((_id, { edge, curvature }) => ({ edge, curvature })),
  };
}
