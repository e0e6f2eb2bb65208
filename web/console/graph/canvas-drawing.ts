/** How Sigma draws: its settings, and the names of nodes under the mouse. */
import Sigma from 'sigma';
import { createEdgeCurveProgram } from '@sigma/edge-curve';
import { DEFAULT_EDGE_ARROW_HEAD_PROGRAM_OPTIONS } from 'sigma/rendering';
import { createNodeImageProgram } from '@sigma/node-image';
import type { Settings } from 'sigma/settings';
import type { ChangeMark } from './compare-graphs.ts';
import type { Extent } from './layered-layout.ts';
import { CanvasLabels, LABEL_FONT, NAME_PX, VERB_PX } from './canvas-labels.ts';
import type { CanvasGraph, EdgeAttributes, NodeAttributes } from './canvas-graph.ts';

/** The page's colours. They must be opaque: WebGL renders transparent ones differently. */
export interface CanvasColors {
  readonly ink: string;
  readonly edge: string;
  /** Colour of unmarked nodes while some are marked. */
  readonly faded: string;
  /** Behind the name of the node under the mouse. */
  readonly raised: string;
  readonly soft: string;
  /** Of what differs between two moments. */
  readonly marks: Readonly<Record<ChangeMark, string>>;
}

export type DrawingSettings = Settings<NodeAttributes, EdgeAttributes>;
export type Drawn = Sigma<NodeAttributes, EdgeAttributes>;

/** Smaller nodes show their names only when zoomed in. */
const LABEL_SIZE_MIN = 5;
/** Room for names at the right, and for the tools above. */
const PADDING_PX = 90;
/** Up to this number of nodes, all show their names where there is room. */
const NAMED_NODES_MAX = 500;
/** Up to this number of relationships, those between named nodes show their verbs. */
const NAMED_EDGES_MAX = 1_000;

/** The value of a colour of the page, as a drawing takes it. */
export function pageColor(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

export function pageColors(): CanvasColors {
  return {
    ink: pageColor('--ink'),
    edge: pageColor('--line-strong'),
    faded: pageColor('--line'),
    raised: pageColor('--raised'),
    soft: pageColor('--ink-soft'),
    marks: { came: pageColor('--good'), went: pageColor('--bad'), changed: pageColor('--warn') },
  };
}

export function drawingSettings(colors: CanvasColors): Partial<DrawingSettings> {
  return {
    allowInvalidContainer: true,
    stagePadding: PADDING_PX,
    hideLabelsOnMove: false,
    labelFont: LABEL_FONT,
    labelSize: NAME_PX,
    edgeLabelFont: LABEL_FONT,
    edgeLabelSize: VERB_PX,
    labelRenderedSizeThreshold: LABEL_SIZE_MIN,
    defaultEdgeType: 'arrow',
    nodeProgramClasses: {
      icon: createNodeImageProgram<NodeAttributes, EdgeAttributes>({ debounceTimeout: null }),
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
      const [width, height] = [context.measureText(data.label).width + 8, labelSize + 6];
      const top = data.y + data.size + 1;
      context.fillStyle = raised;
      context.strokeStyle = soft;
      context.beginPath();
      context.roundRect(data.x - width / 2, top, width, height, 3);
      context.fill();
      context.stroke();
      context.fillStyle = ink;
      context.textAlign = 'center';
      context.fillText(data.label, data.x, top + labelSize);
      context.textAlign = 'start';
      context.strokeStyle = ink;
      context.beginPath();
      context.arc(data.x, data.y, data.size + 2, 0, 2 * Math.PI);
      context.stroke();
    },
  };
}

/** What nodes may take of a canvas. */
export function roomOf({ width, height }: Extent): Extent {
  return { width: Math.max(1, width - 2 * PADDING_PX), height: Math.max(1, height - 2 * PADDING_PX) };
}

/** One picture of the layers of a canvas. */
export function mergedLayers(layers: readonly HTMLCanvasElement[], ground: string): HTMLCanvasElement {
  const picture = document.createElement('canvas');
  picture.width = layers[0]?.width ?? 1;
  picture.height = layers[0]?.height ?? 1;
  const context = picture.getContext('2d');
  if (context === null) return picture;
  context.fillStyle = ground;
  context.fillRect(0, 0, picture.width, picture.height);
  for (const layer of layers) if (layer.width > 0) context.drawImage(layer, 0, 0);
  return picture;
}

/** Small graphs name all nodes, and their relationships. */
export function labelSettings(nodes: number, edges: number): Partial<DrawingSettings> {
  const isFew = nodes <= NAMED_NODES_MAX;
  return {
    labelRenderedSizeThreshold: isFew ? 0 : LABEL_SIZE_MIN,
    // Of few nodes, a grid cell may show all names; otherwise neighbouring names are dropped.
    labelDensity: isFew ? NAMED_NODES_MAX : 1,
    renderEdgeLabels: edges <= NAMED_EDGES_MAX,
    hideEdgesOnMove: edges > NAMED_EDGES_MAX,
  };
}

/** Draws a graph in a container. Throws without WebGL. */
export function openDrawing(
  graph: CanvasGraph,
  container: HTMLElement,
  settings: Partial<DrawingSettings>,
): Drawn {
  const labels = new CanvasLabels();
  const drawn: Drawn = new Sigma(graph, container, {
    ...settings,
    defaultDrawNodeLabel: (context, node) => labels.addName(context, node),
    defaultDrawEdgeLabel: (context, { label }, source, target) =>
      labels.addVerb(context, label, [source, target]),
  });
  drawn.on('afterRender', () => {
    const [name, verb] = [drawn.getSetting('labelColor'), drawn.getSetting('edgeLabelColor')];
    labels.draw({ name: name.color ?? '', verb: verb.color ?? '' });
  });
  return drawn;
}
