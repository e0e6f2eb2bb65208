/**
 * The graph on the canvas: nodes and edges with their positions and visibility, and the drawing. Sigma draws
 * with WebGL; edges are hidden while the view moves, so that 50,000 nodes can be panned. A browser gives a
 * page some sixteen contexts of WebGL and takes the oldest away; a drawing has several, so a hidden canvas
 * has none.
 */
import { CanvasCamera } from './canvas-camera.ts';
import {
  type CanvasColors,
  colorSettings,
  type Drawn,
  drawingSettings,
  labelSettings,
  mergedLayers,
  openDrawing,
  roomOf,
} from './canvas-drawing.ts';
import { CanvasGestures, type GestureEvents } from './canvas-gestures.ts';
import {
  addEdges,
  addNode,
  EDGE_SIZE,
  type EdgeAttributes,
  dressNodes,
  emptyGraph,
  foundNodes,
  type LegendEntry,
  legendOf,
  type NodeAttributes,
  restoreGraph,
  snapshotOf,
  sunflower,
} from './canvas-graph.ts';
import type { CanvasSnapshot } from './canvas-state.ts';
import { ComparedLook, drawnOf } from './compared-look.ts';
import type { ChangeMark } from './compare-graphs.ts';
import { classStyles } from './class-styles.svelte.ts';
import { ForceRun } from './force-run.svelte.ts';
import type { GraphData, GraphEdge, GraphNode } from './graph-data.ts';
import type { Drawing } from './graph-files.ts';
import { COLUMN_ROWS, layeredLayout } from './layered-layout.ts';
import { UndoHistory } from './undo-history.ts';

export const NODES_MAX = 50_000;
/** Nodes and relationships in all states that can be undone, together; each takes some 30 bytes. */
const HISTORY_MAX = 2_000_000;
const LABELLED_MAX = 60;
const FADED_EDGES_MAX = 2_000;
/** In pixels, of a canvas that has not been drawn. */
const SIZE = { width: 1_000, height: 600 };

export interface CanvasEvents extends Omit<GestureEvents, 'isShown' | 'ondrag' | 'ondropped'> {
  /** After a change of what is drawn or where. */
  readonly onchange: () => void;
}

export interface CanvasOptions extends CanvasEvents {
  readonly colors: CanvasColors;
}

export class GraphCanvas {
  readonly camera = new CanvasCamera<NodeAttributes, EdgeAttributes>();
  readonly #graph = emptyGraph();
  #sigma: Drawn | undefined;
  readonly #history = new UndoHistory<CanvasSnapshot>(HISTORY_MAX);
  readonly #forces: ForceRun;
  #gestures: CanvasGestures | undefined;
  readonly #events: CanvasEvents;
  readonly #compared: ComparedLook;
  #marked: ReadonlySet<string> = new Set();
  #hidden: ReadonlySet<string> = $state.raw(new Set());
  #legend = $state.raw<readonly LegendEntry[]>([]);
  #selected = $state<string | undefined>();
  #selectedEdge = $state<string | undefined>();
  #pinned = $state.raw<ReadonlySet<string>>(new Set());
  #size = $state.raw({ nodes: 0, edges: 0 });
  #steps = $state.raw({ canUndo: false, canRedo: false });

  constructor({ colors, ...events }: CanvasOptions) {
    this.#compared = new ComparedLook(colors);
    this.#events = events;
    this.#forces = new ForceRun(this.#graph, {
      onstart: () => this.camera.start(),
      onstop: () => {
        this.camera.stop();
        events.onchange();
      },
      scale: () => this.camera.scale,
    });
  }

  /** Draws in a container that is on the screen, or after its size has changed. Throws without WebGL. */
  draw(container: HTMLElement): void {
    if (this.#sigma === undefined) this.#open(container);
    else this.#sigma.resize();
    this.#setLabels();
  }

  /** Ends the drawing; graph, view, selection and steps stay. */
  hide(): void {
    this.camera.detach();
    this.#gestures?.close();
    this.#sigma?.kill();
    this.#sigma = undefined;
  }

  get legend(): readonly LegendEntry[] {
    return this.#legend;
  }

  get selected(): string | undefined {
    return this.#selected;
  }

  /** The selected relationship. */
  get selectedEdge(): string | undefined {
    return this.#selectedEdge;
  }

  /** Whether the force layout runs. */
  get isMoving(): boolean {
    return this.#forces.isMoving;
  }

  get size(): { readonly nodes: number; readonly edges: number } {
    return this.#size;
  }

  /** Classes that are not shown. */
  get hiddenClasses(): ReadonlySet<string> {
    return this.#hidden;
  }

  get steps(): { readonly canUndo: boolean; readonly canRedo: boolean } {
    return this.#steps;
  }

  has(id: string): boolean {
    return this.#graph.hasNode(id);
  }

  node(id: string): GraphNode | undefined {
    return this.has(id) ? this.#graph.getNodeAttribute(id, 'node') : undefined;
  }

  edge(id: string): GraphEdge | undefined {
    return this.#graph.hasEdge(id) ? this.#graph.getEdgeAttribute(id, 'edge') : undefined;
  }

  /** Call it before a change that can be undone. */
  keep(): void {
    this.#history.record(this.snapshot());
    this.#noteSteps();
  }

  undo(): void {
    this.#step(this.#history.undo(this.snapshot()));
  }

  redo(): void {
    this.#step(this.#history.redo(this.snapshot()));
  }

  snapshot(): CanvasSnapshot {
    return snapshotOf(this.#graph, this.#hidden);
  }

  /** Draws what a snapshot holds, instead of what is there. */
  restore(snapshot: CanvasSnapshot): void {
    this.#forces.kill();
    this.camera.release();
    const { selected } = this;
    restoreGraph(this.#graph, snapshot);
    this.#hidden = new Set(snapshot.hiddenClasses);
    this.#pinned = snapshot.pinned;
    this.measure();
    this.select(selected !== undefined && this.has(selected) ? selected : undefined);
  }

  /** Adds nodes and edges beside existing ones. Returns the number of nodes beyond the limit. */
  add({ nodes, edges }: GraphData, near?: string): number {
    // A reply may contain a node once for each of its relationships.
    const added = [...new Map(nodes.map((node) => [node.id, node])).values()].filter(
      ({ id }) => !this.has(id),
    );
    const fitting = added.slice(0, Math.max(0, NODES_MAX - this.#graph.order));
    const origin = near !== undefined && this.has(near) ? this.#graph.getNodeAttributes(near) : undefined;
    fitting.forEach((node, index) => addNode(this.#graph, node, sunflower(index, origin)));
    addEdges(this.#graph, edges);
    this.measure();
    return added.length - fitting.length;
  }

  remove(id: string): void {
    this.keep();
    this.#graph.dropNode(id);
    if (this.#selected === id) this.select(undefined);
    this.measure();
    this.#events.onchange();
  }

  removeEdge(id: string): void {
    this.keep();
    this.#graph.dropEdge(id);
    if (this.#selectedEdge === id) this.select(undefined);
    this.measure();
    this.#events.onchange();
  }

  select(id: string | undefined): void {
    this.#selected = id;
    this.#selectedEdge = undefined;
    this.mark(id === undefined ? [] : [id, ...this.#graph.neighbors(id)]);
  }

  selectEdge(id: string): void {
    this.#selected = undefined;
    this.#selectedEdge = id;
    this.mark(this.#graph.extremities(id));
  }

  /** Highlights some nodes, and fades all others. */
  mark(ids: readonly string[]): void {
    this.#marked = new Set(ids);
    this.#refresh();
  }

  /** Marks what differs between two moments. */
  compare(marks: ReadonlyMap<string, ChangeMark> | undefined): void {
    this.#compared.marks = marks;
    this.#refresh();
  }

  /** The first nodes whose name or key contains the text. */
  find(text: string, max: number): readonly GraphNode[] {
    return foundNodes(this.#graph, text.toLowerCase(), max);
  }

  /** Moves the view to a node, and selects it. */
  show(id: string): void {
    this.select(id);
    this.camera.show(id);
  }

  isPinned(id: string): boolean {
    return this.#pinned.has(id);
  }

  pin(id: string, isPinned: boolean): void {
    this.keep();
    this.#setPinned(id, isPinned);
    if (this.isMoving) this.startForces();
  }

  filter(className: string, isShown: boolean): void {
    this.keep();
    const hidden = new Set(this.#hidden);
    if (isShown) hidden.delete(className);
    else hidden.add(className);
    this.#hidden = hidden;
    this.#refresh();
    this.#events.onchange();
  }

  startForces(): void {
    this.camera.free();
    this.#forces.start();
  }

  stopForces(): void {
    this.#forces.stop();
  }

  layInLayers(): void {
    this.#forces.kill();
    const places = layeredLayout(this.data(), roomOf(this.#sigma?.getDimensions() ?? SIZE));
    this.#graph.updateEachNodeAttributes((id, attributes) => {
      const { x, y } = places.get(id) ?? attributes;
      return attributes.fixed ? attributes : { ...attributes, x: x * COLUMN_ROWS, y };
    });
    this.camera.fit();
    this.#events.onchange();
  }

  recolor(colors: CanvasColors): void {
    this.#compared.colors = colors;
    this.#sigma?.setSettings(colorSettings(colors));
  }

  data(): GraphData {
    return {
      nodes: this.#graph.mapNodes((_id, { node }) => node),
      edges: this.#graph.mapEdges((_id, { edge }) => edge),
    };
  }

  drawn(): Drawing {
    return drawnOf(this.#graph, this.#hidden, this.#compared);
  }

  /** The layers of the canvas, merged into one. */
  picture(ground: string): HTMLCanvasElement {
    this.#sigma?.refresh();
    return mergedLayers(Object.values(this.#sigma?.getCanvases() ?? {}), ground);
  }

  close(): void {
    this.#forces.kill();
    this.camera.close();
    this.hide();
  }

  #open(container: HTMLElement): void {
    const sigma = openDrawing(this.#graph, container, {
      ...drawingSettings(this.#compared.colors),
      nodeReducer: (id, data) => this.#shownNode(id, this.#compared.node(id, data)),
      edgeReducer: (id, data) => this.#shownEdge(id, this.#compared.edge(id, data)),
    });
    this.#sigma = sigma;
    this.#gestures = new CanvasGestures(sigma, this.#graph, {
      ...this.#events,
      isShown: (id) => this.#isEdgeShown(id),
      ondrag: () => {
        this.#forces.kill();
        this.camera.release();
        this.keep();
      },
      ondropped: (id) => this.#setPinned(id, true),
    });
    this.camera.attach(sigma);
  }

  #setLabels(): void {
    const { order, size } = this.#graph;
    this.#sigma?.setSettings(labelSettings(order, size));
  }

  #refresh(): void {
    this.#sigma?.refresh({ skipIndexation: true });
  }

  #step(snapshot: CanvasSnapshot | undefined): void {
    if (snapshot === undefined) return;
    this.restore(snapshot);
    this.#noteSteps();
    this.#events.onchange();
  }

  #noteSteps(): void {
    const { canUndo, canRedo } = this.#history;
    this.#steps = { canUndo, canRedo };
  }

  #setPinned(id: string, isPinned: boolean): void {
    this.#graph.setNodeAttribute(id, 'fixed', isPinned);
    const pinned = new Set(this.#pinned);
    if (isPinned) pinned.add(id);
    else pinned.delete(id);
    this.#pinned = pinned;
    this.#events.onchange();
  }

  /** Draws the nodes by their degrees, and their classes as they are set now. */
  measure(): void {
    dressNodes(this.#graph, classStyles.all);
    this.#legend = legendOf(this.#graph);
    this.#setLabels();
    this.#size = { nodes: this.#graph.order, edges: this.#graph.size };
  }

  #isEdgeShown(id: string): boolean {
    const { from, to } = this.#graph.getEdgeAttribute(id, 'edge');
    return [from, to].every((end) => !this.#hidden.has(this.#graph.getNodeAttribute(end, 'node').class));
  }

  #shownNode(
    id: string,
    data: NodeAttributes,
  ): Partial<NodeAttributes> & { hidden?: boolean; zIndex?: number; forceLabel?: boolean } {
    if (this.#hidden.size > 0 && this.#hidden.has(data.node.class)) return { ...data, hidden: true };
    if (this.#marked.size === 0) return data;
    if (!this.#marked.has(id)) return { ...data, color: this.#compared.colors.faded, label: '', zIndex: 0 };
    const size = id === this.#selected ? data.size + 3 : data.size;
    return { ...data, size, zIndex: 1, forceLabel: this.#marked.size < LABELLED_MAX };
  }

  #shownEdge(
    id: string,
    data: EdgeAttributes,
  ): Partial<EdgeAttributes> & { hidden?: boolean; zIndex?: number; color?: string } {
    const { from, to } = data.edge;
    if (this.#marked.size === 0) return data;
    if (id === this.#selectedEdge) return { ...data, size: 4 * EDGE_SIZE, zIndex: 2 };
    const isMarked = this.#marked.has(from) && this.#marked.has(to);
    return isMarked
      ? { ...data, size: 2 * EDGE_SIZE, zIndex: 1 }
      : { ...data, label: '', hidden: this.#graph.size > FADED_EDGES_MAX };
  }
}
