/** How Sigma draws: its settings, and the names of nodes under the mouse. */
import { createEdgeCurveProgram } from '@sigma/edge-curve';
import { DEFAULT_EDGE_ARROW_HEAD_PROGRAM_OPTIONS, drawStraightEdgeLabel } from 'sigma/rendering';
import { createNodeImageProgram } from '@sigma/node-image';
import type { Settings } from 'sigma/settings';
import type { EdgeAttributes, NodeAttributes } from './canvas-graph.ts';

/** The page's colours. They must be opaque: WebGL renders transparent ones differently. */
export interface CanvasColors {
  readonly ink: string;
  readonly edge: string;
  /** Colour of unmarked nodes while some are marked. */
  readonly faded: string;
  /** Behind the name of the node under the mouse. */
  readonly raised: string;
  readonly soft: string;
}

export type DrawingSettings = Settings<NodeAttributes, EdgeAttributes>;

/** The room of an arrow, and some space. */
const ARROW_PX = 20;
/** Smaller nodes show their names only when zoomed in. */
const LABEL_SIZE_MIN = 5;
/** Up to this number of nodes, all show their names. */
const NAMED_NODES_MAX = 60;
/** Up to this number of relationships, those between named nodes show their verbs. */
const NAMED_EDGES_MAX = 1_000;

export function drawingSettings(colors: CanvasColors): Partial<DrawingSettings> {
  return {
    allowInvalidContainer: true,
    // Room for names at the right, and for the tools above.
    stagePadding: 90,
    hideLabelsOnMove: false,
    labelFont: 'system-ui, sans-serif',
    labelSize: 12,
    edgeLabelFont: 'system-ui, sans-serif',
    edgeLabelSize: 10,
    labelRenderedSizeThreshold: LABEL_SIZE_MIN,
    // A verb that has no room would be cut, and lie over the names.
    defaultDrawEdgeLabel: (context, edge, source, target, settings) => {
      const room = Math.hypot(source.x - target.x, source.y - target.y) - source.size - target.size;
      context.font = `${settings.edgeLabelSize}px ${settings.edgeLabelFont}`;
      if (typeof edge.label !== 'string' || room < context.measureText(edge.label).width + ARROW_PX) return;
      drawStraightEdgeLabel(context, edge, source, target, settings);
    },
    defaultEdgeType: 'arrow',
    nodeProgramClasses: {
      icon: createNodeImageProgram<NodeAttributes, EdgeAttributes>({ size: { mode: 'force', value: 64 } }),
    },
    edgeProgramClasses: {
      curved: createEdgeCurveProgram<NodeAttributes, EdgeAttributes>({
        arrowHead: DEFAULT_EDGE_ARROW_HEAD_PROGRAM_OPTIONS,
      }),
    },
    minCameraRatio: 0.002,
    maxCameraRatio: 20,
    zIndex: true,
    ...colorSettings(colors),
  };
}

export function colorSettings({ ink, edge, raised, soft }: CanvasColors): Partial<DrawingSettings> {
  return {
    labelColor: { color: ink },
    edgeLabelColor: { color: soft },
    defaultEdgeColor: edge,
    defaultDrawNodeHover: (context, data, { labelFont, labelSize }) => {
      if (typeof data.label !== 'string') return;
      context.font = `${labelSize}px ${labelFont}`;
      const [left, height] = [data.x + data.size + 1, labelSize + 6];
      context.fillStyle = raised;
      context.strokeStyle = soft;
      context.beginPath();
      context.roundRect(left, data.y - height / 2, context.measureText(data.label).width + 8, height, 3);
      context.fill();
      context.stroke();
      context.fillStyle = ink;
      context.fillText(data.label, left + 3, data.y + labelSize / 3);
      context.strokeStyle = ink;
      context.beginPath();
      context.arc(data.x, data.y, data.size + 2, 0, 2 * Math.PI);
      context.stroke();
    },
  };
}

/** Small graphs name all nodes, and their relationships. */
export function labelSettings(nodes: number, edges: number): Partial<DrawingSettings> {
  const isFew = nodes <= NAMED_NODES_MAX;
  return {
    labelRenderedSizeThreshold: isFew ? 0 : LABEL_SIZE_MIN,
    // In a small graph a grid cell may show all of its names; otherwise neighbouring names are dropped.
    labelDensity: isFew ? NAMED_NODES_MAX : 1,
    renderEdgeLabels: edges <= NAMED_EDGES_MAX,
    hideEdgesOnMove: edges > NAMED_EDGES_MAX,
  };
}
