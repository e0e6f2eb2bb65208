/** The layout by forces, in a worker: for a time that grows with the graph, or until it is stopped. */
import { inferSettings } from 'graphology-layout-forceatlas2';
import ForceLayout from 'graphology-layout-forceatlas2/worker';
import noverlap from 'graphology-layout-noverlap';
import type { CanvasGraph } from './canvas-graph.ts';

const FORCE_MS_MIN = 1_500;
const FORCE_MS_MAX = 20_000;
/** The nodes of larger graphs are too small on the screen to be moved apart. */
const APART_NODES_MAX = 2_000;
const APART_ROUNDS = 60;
const MARGIN_PX = 6;

export interface ForceEvents {
  readonly onstart: () => void;
  readonly onstop: () => void;
  /** Pixels of the screen for a unit of places, once all nodes are in view. */
  readonly scale: () => number;
}

export class ForceRun {
  readonly #graph: CanvasGraph;
  readonly #events: ForceEvents;
  #layout: ForceLayout | undefined;
  #end: ReturnType<typeof setTimeout> | undefined;
  #isMoving = $state(false);

  constructor(graph: CanvasGraph, events: ForceEvents) {
    this.#graph = graph;
    this.#events = events;
  }

  get isMoving(): boolean {
    return this.#isMoving;
  }

  start(): void {
    this.kill();
    // The force layout needs edges.
    if (this.#graph.size === 0) return;
    const settings = { ...inferSettings(this.#graph), slowDown: 4 };
    this.#layout = new ForceLayout(this.#graph, { settings });
    this.#layout.start();
    this.#isMoving = true;
    const forMs = Math.min(FORCE_MS_MAX, FORCE_MS_MIN + this.#graph.order * 2);
    this.#end = setTimeout(() => this.stop(), forMs);
    this.#events.onstart();
  }

  /** Nodes that lie over each other are moved apart. */
  stop(): void {
    if (this.#layout === undefined) return;
    this.kill();
    if (this.#graph.order <= APART_NODES_MAX) this.#moveApart();
    this.#events.onstop();
  }

  /** Leaves the nodes where they are. */
  kill(): void {
    clearTimeout(this.#end);
    this.#layout?.kill();
    this.#layout = undefined;
    this.#isMoving = false;
  }

  /** Sizes are in pixels of the screen, and pinned nodes stay. */
  #moveApart(): void {
    const scale = this.#events.scale();
    const graph = this.#graph;
    noverlap.assign(graph, {
      maxIterations: APART_ROUNDS,
      settings: { margin: MARGIN_PX, ratio: 1.2 },
      inputReducer: (_id, { x, y, size = 0 }) => ({ x: x * scale, y: y * scale, size }),
      outputReducer: (id, { x, y }) => {
        const { fixed, x: ownX, y: ownY } = graph.getNodeAttributes(id);
        return fixed ? { x: ownX, y: ownY } : { x: x / scale, y: y / scale };
      },
    });
  }
}
