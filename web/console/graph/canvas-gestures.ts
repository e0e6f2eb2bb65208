/** What a mouse or a finger does on the canvas: clicks, double clicks, drags, menus, and what is under it. */
import type Sigma from 'sigma';
import type { MouseCoords, SigmaNodeEventPayload, TouchCoords } from 'sigma/types';
import type { CanvasGraph, EdgeAttributes, NodeAttributes } from './canvas-graph.ts';
import { curveOf, distanceTo } from './edge-hit.ts';
import type { Position } from './layered-layout.ts';

const LONG_PRESS_MS = 500;
/** Fingers are not still. */
const STILL_PX = 8;
const EDGE_REACH_PX = 7;
/** In larger graphs relationships are found by a click, not while the mouse moves. */
const HOVERED_EDGES_MAX = 3_000;

export interface CanvasTarget {
  readonly kind: 'node' | 'edge' | 'stage';
  readonly id: string;
}

export interface GestureEvents {
  readonly onclick: (target: CanvasTarget, isSecond: boolean) => void;
  readonly ondoubleclick: (id: string) => void;
  readonly onmenu: (target: CanvasTarget, at: Position) => void;
  readonly onhover: (target: CanvasTarget | undefined, at: Position) => void;
  readonly isShown: (id: string) => boolean;
  /** Before the first movement of a node. */
  readonly ondrag: (id: string) => void;
  readonly ondropped: (id: string) => void;
}

type Drawing = Sigma<NodeAttributes, EdgeAttributes>;

export class CanvasGestures {
  readonly #sigma: Drawing;
  readonly #graph: CanvasGraph;
  readonly #events: GestureEvents;
  /** The node under the pressed button or finger. */
  #held: { readonly id: string; readonly at: Position; isMoving: boolean } | undefined;
  #press: ReturnType<typeof setTimeout> | undefined;
  #pressedAt: Position | undefined;
  /** The press was a drag, or has opened a menu: its end is no click. */
  #isDone = false;
  /** The node under the first press of the last clicks. */
  #pressed: string | undefined;
  readonly #doubleClick = (): void => {
    if (this.#pressed !== undefined) this.#events.ondoubleclick(this.#pressed);
  };
  #hovered = '';

  constructor(sigma: Drawing, graph: CanvasGraph, events: GestureEvents) {
    this.#sigma = sigma;
    this.#graph = graph;
    this.#events = events;
    sigma.on('clickNode', ({ node, event }) => this.#click({ kind: 'node', id: node }, event));
    sigma.on('clickStage', ({ event }) => this.#click(this.#targetAt(event), event));
    // Sigma counts clicks by a timer of its own, which a busy page outruns; the browser knows.
    sigma.on('doubleClickNode', (payload) => payload.preventSigmaDefault());
    sigma.getMouseCaptor().container.addEventListener('dblclick', this.#doubleClick);
    sigma.on('rightClickNode', ({ node, event }) => this.#menu({ kind: 'node', id: node }, event));
    sigma.on('rightClickStage', ({ event }) => this.#menu(this.#targetAt(event), event));
    sigma.on('downNode', (payload) => this.#hold(payload));
    sigma.on('downStage', ({ event }) => {
      if (isFirstPress(event)) this.#pressed = undefined;
      this.#startPress(this.#targetAt(event), event);
    });
    sigma.on('enterNode', ({ node, event }) => this.#hover({ kind: 'node', id: node }, event));
    sigma.on('leaveNode', ({ event }) => this.#hover(undefined, event));
    sigma.getMouseCaptor().on('mousemovebody', (event) => this.#move(event, event));
    sigma.getMouseCaptor().on('mouseup', () => this.#release());
    sigma.getTouchCaptor().on('touchmove', (event) => this.#moveTouch(event));
    sigma.getTouchCaptor().on('touchup', () => this.#release());
  }

  close(): void {
    clearTimeout(this.#press);
    this.#sigma.getMouseCaptor().container.removeEventListener('dblclick', this.#doubleClick);
  }

  #click(target: CanvasTarget, event: MouseCoords): void {
    if (this.#isDone) this.#isDone = false;
    else this.#events.onclick(target, event.original.shiftKey);
  }

  #menu(target: CanvasTarget, event: MouseCoords): void {
    event.original.preventDefault();
    this.#events.onmenu(target, { x: event.x, y: event.y });
  }

  #hold({ node, event }: SigmaNodeEventPayload): void {
    const { original } = event;
    if ('button' in original && original.button !== 0) return;
    if (isFirstPress(event)) this.#pressed = node;
    this.#held = { id: node, at: { x: event.x, y: event.y }, isMoving: false };
    this.#startPress({ kind: 'node', id: node }, event);
  }

  #startPress(target: CanvasTarget, { original, x, y }: MouseCoords): void {
    clearTimeout(this.#press);
    this.#isDone = false;
    if (!('touches' in original) || original.touches.length !== 1) return;
    this.#pressedAt = { x, y };
    this.#press = setTimeout(() => {
      this.#isDone = true;
      this.#held = undefined;
      this.#events.onmenu(target, { x, y });
    }, LONG_PRESS_MS);
  }

  #moveTouch(event: TouchCoords): void {
    const [touch] = event.touches;
    if (touch === undefined) return;
    const from = this.#pressedAt;
    if (from !== undefined && Math.hypot(touch.x - from.x, touch.y - from.y) > STILL_PX)
      clearTimeout(this.#press);
    this.#move(touch, event);
  }

  #move(at: Position, event: { preventSigmaDefault: () => void; readonly original: Event }): void {
    const held = this.#held;
    if (held === undefined) {
      if ('clientX' in event.original && event.original.target === this.#sigma.getMouseCaptor().container)
        this.#hoverEdge(at);
      return;
    }
    event.preventSigmaDefault();
    if (!held.isMoving && Math.hypot(at.x - held.at.x, at.y - held.at.y) < STILL_PX / 2) return;
    if (!held.isMoving) {
      held.isMoving = true;
      // The view must not follow the node.
      this.#sigma.setCustomBBox(this.#sigma.getBBox());
      this.#events.ondrag(held.id);
    }
    this.#graph.mergeNodeAttributes(held.id, this.#sigma.viewportToGraph(at));
  }

  #release(): void {
    clearTimeout(this.#press);
    this.#pressedAt = undefined;
    const held = this.#held;
    this.#held = undefined;
    if (held?.isMoving !== true) return;
    this.#isDone = true;
    this.#events.ondropped(held.id);
  }

  #hoverEdge(at: Position): void {
    if (this.#graph.size > HOVERED_EDGES_MAX || this.#hovered.startsWith('node')) return;
    const target = this.#targetAt(at);
    this.#hover(target.kind === 'edge' ? target : undefined, at);
  }

  #hover(target: CanvasTarget | undefined, { x, y }: Position): void {
    const name = target === undefined ? '' : `${target.kind} ${target.id}`;
    if (name === this.#hovered) return;
    this.#hovered = name;
    this.#events.onhover(target, { x, y });
  }

  /** The nearest relationship within reach, or the empty canvas. */
  #targetAt(at: Position): CanvasTarget {
    let [least, found] = [EDGE_REACH_PX, ''];
    this.#graph.forEachEdge((id, { curvature }, source, target) => {
      if (!this.#events.isShown(id)) return;
      const [from, to] = [this.#placeOf(source), this.#placeOf(target)];
      if (isFar(from, to, at)) return;
      // Curves bend to the other side on the screen, where y grows downwards.
      const distance = distanceTo(curveOf(from, to, -curvature), at, curvature === 0);
      if (distance < least) [least, found] = [distance, id];
    });
    return found === '' ? { kind: 'stage', id: '' } : { kind: 'edge', id: found };
  }

  #placeOf(id: string): Position {
    const data = this.#sigma.getNodeDisplayData(id);
    return data === undefined ? { x: NaN, y: NaN } : this.#sigma.framedGraphToViewport(data);
  }
}

/** Whether a press is no second one of a double click: its first click may have moved what lies under it. */
function isFirstPress({ original }: MouseCoords): boolean {
  return original.detail < 2;
}

/** Whether a point is outside of all that a curve between two places can reach. */
function isFar(a: Position, b: Position, { x, y }: Position): boolean {
  const reach = EDGE_REACH_PX + Math.hypot(a.x - b.x, a.y - b.y) / 2;
  return Math.hypot(x - (a.x + b.x) / 2, y - (a.y + b.y) / 2) > reach * 1.3;
}
