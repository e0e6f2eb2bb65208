/** What a user does on the canvas, beyond looking: questions that add to it, the path between two nodes. */
import { countedText, countText } from '../../kit/parts/format-value.ts';
import { CanvasQuestion, type QuestionText } from './canvas-question.svelte.ts';
import { type GraphCanvas, NODES_MAX } from './graph-canvas.svelte.ts';
import type { GraphData } from './graph-data.ts';
import { type Links, neighborsPql, pathPql, readMissingEnds } from './read-graph.ts';

export class CanvasWork {
  readonly canvas: GraphCanvas;
  /** The moment, in RFC 3339, of the graph that is asked; undefined: now. */
  readonly asOf: string | undefined;
  readonly #isNarrow: () => boolean;
  readonly #onchange: () => void;
  #question = $state.raw<CanvasQuestion | undefined>();
  #message = $state('');
  #pathFrom = $state<string | undefined>();
  /** The nodes that the question has added or passed. */
  #answer: readonly string[] = [];

  constructor(
    canvas: GraphCanvas,
    asOf: string | undefined,
    events: { readonly isNarrow: () => boolean; readonly onchange: () => void },
  ) {
    this.canvas = canvas;
    this.asOf = asOf;
    this.#isNarrow = events.isNarrow;
    this.#onchange = events.onchange;
  }

  /** What was asked last. */
  get question(): CanvasQuestion | undefined {
    return this.#question;
  }

  /** Why the last action failed, or what it left out. */
  get message(): string {
    return this.#message;
  }

  /** The first of the two nodes of a path, while the second is being chosen. */
  get pathFrom(): string | undefined {
    return this.#pathFrom;
  }

  choosePath(id: string): void {
    this.#pathFrom = id;
  }

  /** Ends the innermost of what is going on. Returns whether there was something. */
  escape(): boolean {
    const { canvas } = this;
    if (this.#pathFrom !== undefined) this.#pathFrom = undefined;
    else if (canvas.selected !== undefined || canvas.selectedEdge !== undefined) canvas.select(undefined);
    else if (this.#question !== undefined) this.closeQuestion();
    else return false;
    return true;
  }

  closeQuestion(): void {
    this.#question = undefined;
  }

  /** A question shows how much of its answer is drawn: after a step back it would be wrong. */
  step(direction: 'undo' | 'redo'): void {
    this.closeQuestion();
    this.#message = '';
    this.canvas[direction]();
  }

  /** Selects a node, or draws the path to it. Returns whether it is selected. */
  choose(id: string, isSecond: boolean): boolean {
    const from = this.#pathFrom ?? (isSecond ? this.canvas.selected : undefined);
    this.#pathFrom = undefined;
    if (from !== undefined && from !== id) {
      void this.#findPath(from, id);
      return false;
    }
    this.canvas.select(id);
    return true;
  }

  expand(id: string, by: Links): Promise<void> {
    return this.#ask({ title: `Neighbours of ${this.#nameOf(id)}`, pql: neighborsPql(id, by), origin: id });
  }

  spread(id: string, pql: string): Promise<void> {
    return this.#ask({ title: `Blast radius of ${this.#nameOf(id)}`, pql, origin: id });
  }

  askMore(): Promise<void> {
    return this.#attempt(async () => {
      const asked = this.#question;
      if (asked === undefined) return;
      const found = await this.#withEnds(await asked.next());
      if (this.#question === asked) this.#drawAnswer(found, asked.text.origin);
    });
  }

  #findPath(from: string, to: string): Promise<void> {
    const title = `Path from ${this.#nameOf(from)} to ${this.#nameOf(to)}`;
    return this.#ask({ title, pql: pathPql(from, to), origin: from });
  }

  /** Nothing changes until the answer is there. */
  #ask(asked: Omit<QuestionText, 'asOf'>): Promise<void> {
    const text = { ...asked, asOf: this.asOf };
    const next = new CanvasQuestion(text);
    return this.#attempt(async () => {
      const found = await this.#withEnds(await next.next());
      this.#question = next;
      this.#answer = [text.origin];
      this.#drawAnswer(found, text.origin);
    });
  }

  /** A failure is shown, and leaves the graph unchanged. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      this.#message = '';
      await work();
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return;
      this.#message = error instanceof Error ? error.message : String(error);
    }
  }

  async #withEnds(found: GraphData): Promise<GraphData> {
    const ends = await readMissingEnds(found, (id) => this.canvas.has(id), { asOf: this.asOf });
    return { nodes: [...found.nodes, ...ends], edges: found.edges };
  }

  /** Marks all that the question has found, and brings it into view. */
  #drawAnswer(found: GraphData, origin: string): void {
    const { canvas } = this;
    canvas.keep();
    const left = canvas.add(found, origin);
    if (left > 0)
      this.#message = `${countedText(left, 'node')} had no room: the canvas holds ${countText(NODES_MAX)}.`;
    const ids = new Set([...this.#answer, ...found.nodes.map(({ id }) => id)]);
    this.#answer = [...ids].filter((id) => canvas.has(id));
    // On a narrow page the actions of the node would cover the answer.
    canvas.select(canvas.has(origin) && !this.#isNarrow() ? origin : undefined);
    canvas.mark(this.#answer);
    canvas.camera.follow(this.#answer);
    canvas.startForces();
    this.#onchange();
  }

  /** Does what a key stands for; whether it stands for something. */
  hear({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
    if (key === 'Escape') return this.escape();
    if (!ctrlKey && !metaKey) return false;
    const letter = key.toLowerCase();
    if (letter !== 'z' && letter !== 'y') return false;
    this.step(letter === 'y' || shiftKey ? 'redo' : 'undo');
    return true;
  }

  /** A relationship with the names of its ends. */
  edgeText(id: string): string {
    const { from = '', to = '', verb = '' } = this.canvas.edge(id) ?? {};
    return `${this.#nameOf(from)} ─${verb}→ ${this.#nameOf(to)}`;
  }

  #nameOf(id: string): string {
    return this.canvas.node(id)?.name ?? id;
  }
}
