/** What one level of enumeration can be bound to, for the node at hand. *Hot path*: buffers are reused. */
import type { Adjacency, LinkBuffer } from '../graph-reader.port.ts';
import type { Step } from '../plan/pattern.ts';
import type { ExpandLevel } from '../plan/row-plan.ts';
import { emptyBuffer, type ExecutionContext } from './execution-context.ts';
import { NodeList } from './node-list.ts';
import type { NodeMarks } from './node-marks.ts';
import { NodeSet } from './node-set.ts';
import type { SetExecutor } from './set-executor.ts';
import { TrailSearch } from './trail-search.ts';

interface BoundStep {
  readonly step: Step;
  readonly adjacency: Adjacency;
  readonly isFar: (node: number) => boolean;
  readonly passes: ((link: number) => boolean) | undefined;
}

export class LevelCandidates {
  readonly #context: ExecutionContext;
  readonly #level: ExpandLevel;
  readonly #steps: readonly BoundStep[];
  readonly #isSlow: boolean;
  readonly #marks: NodeMarks;
  readonly #buffer: LinkBuffer = emptyBuffer();
  readonly #links = new NodeList();
  #nodes = new NodeList();
  #next = new NodeList();

  constructor(context: ExecutionContext, level: ExpandLevel, sets: SetExecutor) {
    this.#context = context;
    this.#level = level;
    this.#marks = context.takeMarks();
    this.#isSlow = level.path.some((step) => step.repeat !== undefined);
    this.#steps = level.path.map((step) => ({
      step,
      adjacency: context.adjacency(step),
      isFar: sets.farSet(step.element).has,
      passes: context.linkMatcher(step),
    }));
  }

  /**
   * Finds the ends of the path from `node`: distinct nodes, or distinct links with their nodes. What takes
   * long is left to the generator, if it gives one.
   */
  fill(node: number): Generator<void, void> | undefined {
    this.#nodes.clear();
    this.#links.clear();
    this.#nodes.push(node);
    if (this.#isSlow) return this.#fillSlowly();
    for (const step of this.#steps) {
      this.#begin();
      for (let at = 0; at < this.#nodes.length; at++) this.#step(step, this.#nodes.at(at));
      this.#swap();
    }
    return undefined;
  }

  /** Puts the candidate at `cursor` into the row; false when there is none. */
  bind(cursor: number, row: Uint32Array): boolean {
    if (cursor >= this.#nodes.length) return false;
    row[this.#level.slot] = this.#nodes.at(cursor);
    if (this.#level.linkSlot >= 0) row[this.#level.linkSlot] = this.#links.at(cursor);
    return true;
  }

  *#fillSlowly(): Generator<void, void> {
    for (const step of this.#steps) {
      this.#begin();
      if (step.step.repeat === undefined) {
        for (let at = 0; at < this.#nodes.length; at++) this.#step(step, this.#nodes.at(at));
      } else yield* this.#repeat(step);
      this.#swap();
    }
  }

  #begin(): void {
    this.#next.clear();
    this.#marks.clear();
  }

  #swap(): void {
    [this.#nodes, this.#next] = [this.#next, this.#nodes];
  }

  #step({ adjacency, isFar, passes }: BoundStep, from: number): void {
    const keepsLinks = this.#level.linkSlot >= 0;
    adjacency.read(from, this.#buffer);
    const { count, nodes, links } = this.#buffer;
    for (let at = 0; at < count; at++) {
      const node = nodes[at]!;
      if (!isFar(node) || passes?.(links[at]!) === false) continue;
      if (keepsLinks) this.#links.push(links[at]!);
      else if (!this.#marks.add(node)) continue;
      this.#next.push(node);
    }
  }

  *#repeat({ step, isFar }: BoundStep): Generator<void, void> {
    if (step.repeat === undefined) return;
    const sources = new NodeSet(this.#nodes.toArray(), false, this.#context.reader.nodeBound);
    const ends = yield* new TrailSearch(this.#context, step, step.repeat).image(sources);
    for (const node of ends) if (isFar(node)) this.#next.push(node);
  }
}
