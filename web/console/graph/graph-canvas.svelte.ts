/**
 * The graph on the canvas: nodes and edges with their positions and visibility, and the drawing. Sigma draws
 * with WebGL; edges are hidden while the view moves, so that 50,000 nodes can be panned.
 */
import { MultiDirectedGraph } from 'graphology';
import { inferSettings } from 'graphology-layout-forceatlas2';
import ForceLayout from 'graphology-layout-forceatlas2/worker';
import Sigma from 'sigma';
import { CameraFollower } from './camera-follower.ts';
import { ClassColors } from './class-colors.ts';
import type { GraphData, GraphEdge, GraphNode } from './graph-data.ts';
import type { DrawnNode } from './graph-files.ts';
import { layeredLayout } from './layered-layout.ts';

export const NODES_MAX = 50_000;
const FORCE_MS_MIN = 1_500;
const FORCE_MS_MAX = 20_000;
const SIZE_MIN = 4;
const SIZE_MAX = 14;
/** Smaller nodes show their names only when zoomed in. */
const LABEL_SIZE_MIN = 5;
/** Up to this number of nodes, all show their names. */
const NAMED_NODES_MAX = 60;
const EDGE_SIZE = 0.7;
const FULL_SIZE_NODES = 1_500;

interface NodeAttributes extends DrawnNode {
  x: number;
  y: number;
  size: number;
  color: string;
  readonly label: string;
  readonly node: GraphNode;
  /** The force layout does not move it. */
  fixed: boolean;
}

interface EdgeAttributes {
  readonly label: string;
  readonly edge: GraphEdge;
  readonly size: number;
}

export interface LegendEntry {
  readonly name: string;
  readonly count: number;
  readonly color: string;
}

/** The page's colours. They must be opaque: WebGL renders transparent ones differently. */
export interface CanvasColors {
  readonly ink: string;
  readonly edge: string;
  /** Colour of unmarked nodes while some are marked. */
  readonly faded: string;
}

export interface CanvasOptions {
  readonly container: HTMLElement;
  readonly colors: CanvasColors;
  readonly onclick: (id: string, isSecond: boolean) => void;
}

export class GraphCanvas {
  readonly #graph = new MultiDirectedGraph<NodeAttributes, EdgeAttributes>();
  readonly #sigma: Sigma<NodeAttributes, EdgeAttributes>;
  readonly #colors = new ClassColors();
  readonly #hiddenClasses = new Set<string>();
  #faded: string;
  #isClosed = false;
  readonly #follower: CameraFollower<NodeAttributes, EdgeAttributes>;
  #layout: ForceLayout | undefined;
  #layoutEnd: ReturnType<typeof setTimeout> | undefined;
  #marked: ReadonlySet<string> = new Set();
  #legend = $state.raw<readonly LegendEntry[]>([]);
  #selected = $state<string | undefined>();
  #isMoving = $state(false);
  #size = $state.raw({ nodes: 0, edges: 0 });

  constructor({ container, colors, onclick }: CanvasOptions) {
    this.#faded = colors.faded;
    this.#sigma = new Sigma(this.#graph, container, {
      allowInvalidContainer: true,
      // Room for names at the right, and for the tools above.
      stagePadding: 90,
      hideEdgesOnMove: true,
      hideLabelsOnMove: false,
      labelFont: 'system-ui, sans-serif',
      labelSize: 12,
      labelColor: { color: colors.ink },
      labelRenderedSizeThreshold: LABEL_SIZE_MIN,
      defaultEdgeColor: colors.edge,
      defaultEdgeType: 'arrow',
      minCameraRatio: 0.002,
      maxCameraRatio: 20,
      zIndex: true,
      nodeReducer: (id, data) => this.#shownNode(id, data),
      edgeReducer: (_id, data) => this.#shownEdge(data),
    });
    this.#sigma.on('clickNode', ({ node, event }) => onclick(node, event.original.shiftKey));
    this.#sigma.on('clickStage', () => this.select(undefined));
    this.#follower = new CameraFollower(this.#sigma);
  }

  get legend(): readonly LegendEntry[] {
    return this.#legend;
  }

  get selected(): string | undefined {
    return this.#selected;
  }

  /** Whether the force layout runs. */
  get isMoving(): boolean {
    return this.#isMoving;
  }

  get size(): { readonly nodes: number; readonly edges: number } {
    return this.#size;
  }

  has(id: string): boolean {
    return this.#graph.hasNode(id);
  }

  node(id: string): GraphNode | undefined {
    return this.has(id) ? this.#graph.getNodeAttribute(id, 'node') : undefined;
  }

  /** Adds nodes and edges beside existing ones. Returns the number of nodes beyond the limit. */
  add({ nodes, edges }: GraphData, near?: string): number {
    // A reply may contain a node once for each of its relationships.
    const added = [...new Map(nodes.map((node) => [node.id, node])).values()].filter(
      ({ id }) => !this.has(id),
    );
    const fitting = added.slice(0, Math.max(0, NODES_MAX - this.#graph.order));
    this.#colors.assign(classCounts(fitting).map(([name]) => name));
    fitting.forEach((node, index) => this.#graph.addNode(node.id, this.#attributes(node, index, near)));
    for (const edge of edges) {
      const { id, from, to } = edge;
      if (this.#graph.hasEdge(id) || !this.has(from) || !this.has(to)) continue;
      this.#graph.addEdgeWithKey(id, from, to, { label: edge.verb, edge, size: EDGE_SIZE });
    }
    this.#measure();
    return added.length - fitting.length;
  }

  remove(id: string): void {
    this.#graph.dropNode(id);
    if (this.#selected === id) this.select(undefined);
    this.#measure();
  }

  select(id: string | undefined): void {
    this.#selected = id;
    this.#marked = new Set(id === undefined ? [] : [id, ...this.#graph.neighbors(id)]);
    this.#sigma.refresh({ skipIndexation: true });
  }

  /** Highlights some nodes, and fades all others. */
  mark(ids: readonly string[]): void {
    this.#marked = new Set(ids);
    this.#sigma.refresh({ skipIndexation: true });
  }

  /** The first nodes whose name or key contains the text. */
  find(text: string, max: number): readonly GraphNode[] {
    const wanted = text.toLowerCase();
    const found: GraphNode[] = [];
    if (wanted === '') return found;
    this.#graph.findNode((_id, { node }) => {
      if (node.name.toLowerCase().includes(wanted) || node.key.toLowerCase().includes(wanted))
        found.push(node);
      return found.length >= max;
    });
    return found;
  }

  /** Shows these nodes, and keeps them in view while a layout runs, until the user moves the view. */
  follow(ids: readonly string[]): void {
    this.#follower.follow(ids);
  }

  /** Moves the view to a node, and selects it. */
  show(id: string): void {
    this.#follower.release();
    this.select(id);
    const { x, y } = this.#sigma.getNodeDisplayData(id) ?? { x: 0.5, y: 0.5 };
    void this.#sigma.getCamera().animate({ x, y, ratio: Math.min(this.#sigma.getCamera().ratio, 0.4) });
  }

  isPinned(id: string): boolean {
    return this.has(id) && this.#graph.getNodeAttribute(id, 'fixed');
  }

  pin(id: string, isPinned: boolean): void {
    this.#graph.setNodeAttribute(id, 'fixed', isPinned);
  }

  filter(className: string, isShown: boolean): void {
    if (isShown) this.#hiddenClasses.delete(className);
    else this.#hiddenClasses.add(className);
    this.#sigma.refresh({ skipIndexation: true });
  }

  /** Runs in a worker, for a time that grows with the graph, or until it is stopped. */
  startForces(): void {
    this.stopForces();
    // The force layout needs edges.
    if (this.#graph.size === 0) return;
    const settings = { ...inferSettings(this.#graph), slowDown: 4 };
    this.#layout = new ForceLayout(this.#graph, { settings });
    this.#layout.start();
    this.#isMoving = true;
    const forMs = Math.min(FORCE_MS_MAX, FORCE_MS_MIN + this.#graph.order * 2);
    this.#layoutEnd = setTimeout(() => this.stopForces(), forMs);
    this.#follower.start();
  }

  stopForces(): void {
    clearTimeout(this.#layoutEnd);
    this.#follower.stop();
    this.#layout?.kill();
    this.#layout = undefined;
    this.#isMoving = false;
  }

  layInLayers(): void {
    this.stopForces();
    const places = layeredLayout(this.data());
    this.#graph.updateEachNodeAttributes((id, attributes) => {
      const { x, y } = places.get(id) ?? attributes;
      return attributes.fixed ? attributes : { ...attributes, x: x * 4, y };
    });
    this.fit();
  }

  /** Call it after the size of the container has changed. */
  resize(): void {
    this.#sigma.resize();
    this.#sigma.refresh({ skipIndexation: true });
  }

  fit(): void {
    this.#follower.release();
    void this.#fitted();
  }

  zoom(factor: number): void {
    this.#follower.release();
    const camera = this.#sigma.getCamera();
    void camera.animate({ ratio: camera.ratio / factor });
  }

  /** Moves the view by fractions of the visible area. */
  pan(right: number, up: number): void {
    this.#follower.release();
    const camera = this.#sigma.getCamera();
    camera.setState({ x: camera.x + right * camera.ratio, y: camera.y + up * camera.ratio });
  }

  recolor({ ink, edge, faded }: CanvasColors): void {
    this.#faded = faded;
    this.#sigma.setSetting('labelColor', { color: ink });
    this.#sigma.setSetting('defaultEdgeColor', edge);
  }

  data(): GraphData {
    return {
      nodes: this.#graph.mapNodes((_id, { node }) => node),
      edges: this.#graph.mapEdges((_id, { edge }) => edge),
    };
  }

  drawn(): readonly DrawnNode[] {
    const nodes = this.#graph.mapNodes((_id, attributes) => attributes);
    return nodes.filter(({ node }) => !this.#hiddenClasses.has(node.class));
  }

  /** The layers of the canvas, merged into one. */
  picture(ground: string): HTMLCanvasElement {
    this.#sigma.refresh();
    const layers = Object.values(this.#sigma.getCanvases());
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

  close(): void {
    this.#follower.release();
    this.stopForces();
    this.#isClosed = true;
    this.#sigma.kill();
  }

  #attributes(node: GraphNode, index: number, near: string | undefined): NodeAttributes {
    const origin = near !== undefined && this.has(near) ? this.#graph.getNodeAttributes(near) : undefined;
    // A sunflower pattern: even and deterministic.
    const angle = index * 2.399963;
    const radius = Math.sqrt(index + 1) * (origin === undefined ? 10 : 2);
    return {
      id: node.id,
      name: node.name,
      label: node.name,
      node,
      x: (origin?.x ?? 0) + radius * Math.cos(angle),
      y: (origin?.y ?? 0) + radius * Math.sin(angle),
      size: SIZE_MIN,
      color: this.#colors.of(node.class),
      fixed: false,
    };
  }

  /** A camera that already shows everything emits no movement, and edges would stay hidden. */
  async #fitted(): Promise<void> {
    await this.#sigma.getCamera().animatedReset();
    if (!this.#isClosed) this.#sigma.refresh({ skipIndexation: true });
  }

  #measure(): void {
    // Nodes are smaller in large graphs.
    const scale = Math.min(1, (FULL_SIZE_NODES / Math.max(1, this.#graph.order)) ** 0.35);
    this.#graph.updateEachNodeAttributes((id, attributes) => ({
      ...attributes,
      size: scale * Math.min(SIZE_MAX, SIZE_MIN + Math.sqrt(this.#graph.degree(id)) * 1.2),
    }));
    const counts = classCounts(this.#graph.mapNodes((_id, { node }) => node));
    this.#legend = counts.map(([name, count]) => ({ name, count, color: this.#colors.of(name) }));
    const isFew = this.#graph.order <= NAMED_NODES_MAX;
    this.#sigma.setSetting('labelRenderedSizeThreshold', isFew ? 0 : LABEL_SIZE_MIN);
    // In a small graph a grid cell may show all of its names; otherwise neighbouring names are dropped.
    this.#sigma.setSetting('labelDensity', isFew ? NAMED_NODES_MAX : 1);
    this.#size = { nodes: this.#graph.order, edges: this.#graph.size };
  }

  #shownNode(
    id: string,
    data: NodeAttributes,
  ): Partial<NodeAttributes> & { hidden?: boolean; zIndex?: number } {
    if (this.#hiddenClasses.has(data.node.class)) return { ...data, hidden: true };
    if (this.#marked.size === 0) return data;
    if (!this.#marked.has(id)) return { ...data, color: this.#faded, label: '', zIndex: 0 };
    const size = id === this.#selected ? data.size + 3 : data.size;
    return { ...data, size, zIndex: 1, ...({ forceLabel: this.#marked.size < 60 } as object) };
  }

  #shownEdge(data: EdgeAttributes): Partial<EdgeAttributes> & { hidden?: boolean; zIndex?: number } {
    const { from, to } = data.edge;
    if (this.#marked.size === 0) return data;
    const isMarked = this.#marked.has(from) && this.#marked.has(to);
    return isMarked
      ? { ...data, size: 2 * EDGE_SIZE, zIndex: 1 }
      : { ...data, hidden: this.#graph.size > 2_000 };
  }
}

/** The most frequent first. */
function classCounts(nodes: readonly GraphNode[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { class: name } of nodes) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b, 'en'));
}
