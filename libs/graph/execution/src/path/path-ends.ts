/** Finds the ends of a path of steps, one start node at a time. *Hot path*: buffers are reused. */
import type { Adjacency, LinkBuffer } from '#graph/model';
import type { PatternStep } from '../pattern/pattern.ts';
import type { Expansion } from '../pattern/row-plan.ts';
import { emptyBuffer, type ExecutionContext } from '../context/execution-context.ts';
import { NodeList } from '../context/node-list.ts';
import type { NodeMarks } from '../context/node-marks.ts';
import { NodeSet } from '../set/node-set.ts';
import type { SetExecutor } from '../set/set-executor.ts';
import { TrailSearch } from '../set/trail-search.ts';

interface BoundStep {
  readonly step: PatternStep;
  readonly adjacency: Adjacency;
  readonly far: NodeSet;
  readonly passes: ((link: number) => boolean) | undefined;
}

export class PathEnds {
  readonly #context: ExecutionContext;
  readonly #sets: SetExecutor;
  readonly #keepsLinks: boolean;
  readonly #steps: readonly BoundStep[];
  readonly #isSlow: boolean;
  /** The element of the only step, whose ends the search of sets may have found already; −1: it has not. */
  readonly #searched: number;
  readonly #marks: NodeMarks;
  readonly #buffer: LinkBuffer = emptyBuffer();
  readonly links = new NodeList();
  #nodes = new NodeList();
  #next = new NodeList();
  #from = -1;

  constructor(context: ExecutionContext, { path, keepsLinks }: Expansion, sets: SetExecutor) {
    this.#context = context;
    this.#sets = sets;
    this.#keepsLinks = keepsLinks;
    this.#marks = context.takeMarks();
    const [only] = path;
    this.#searched = only === undefined || path.length > 1 || keepsLinks ? -1 : only.element;
    this.#isSlow = path.some((step) => step.repeat !== undefined);
    this.#steps = path.map((step) => ({
      step,
      adjacency: context.adjacency(step),
      far: sets.farSet(step.element),
      passes: context.linkMatcher(step),
    }));
  }

  /** Distinct, or one for each of {@link links}. */
  get nodes(): NodeList {
    return this.#nodes;
  }

  /** Whether a node may be an end, regardless of the path. */
  isFar(node: number): boolean {
    return this.#steps[this.#steps.length - 1]!.far.has(node);
  }

  /** Whether a node is one of {@link nodes}, where these are distinct. */
  has(node: number): boolean {
    return this.#marks.has(node);
  }

  /** Finds the ends from `node`. If it returns a generator, the generator does the longer work. */
  fill(node: number): Generator<void, void> | undefined {
    if (node === this.#from) return undefined;
    this.#from = node;
    this.#nodes.clear();
    this.links.clear();
    const known = this.#searched < 0 ? undefined : this.#sets.endsFrom(this.#searched, node);
    if (known !== undefined) {
      this.#take(known.nodes);
      return undefined;
    }
    this.#nodes.push(node);
    if (this.#isSlow) return this.#fillSlowly();
    for (let at = 0; at < this.#steps.length; at++) this.#walk(this.#steps[at]!);
    return undefined;
  }

  #take(ends: Uint32Array): void {
    this.#next.clear();
    this.#marks.clear();
    for (let at = 0; at < ends.length; at++) {
      this.#marks.add(ends[at]!);
      this.#next.push(ends[at]!);
    }
    this.#swap();
  }

  *#fillSlowly(): Generator<void, void> {
    for (const step of this.#steps) {
      if (step.step.repeat === undefined) this.#walk(step);
      else yield* this.#repeat(step);
    }
  }

  #walk(step: BoundStep): void {
    this.#next.clear();
    if (!this.#keepsLinks) this.#marks.clear();
    for (let at = 0; at < this.#nodes.length; at++) this.#step(step, this.#nodes.at(at));
    this.#swap();
  }

  #swap(): void {
    [this.#nodes, this.#next] = [this.#next, this.#nodes];
  }

  #step({ adjacency, far, passes }: BoundStep, from: number): void {
    const isFar = far.has;
    const keepsLinks = this.#keepsLinks;
    adjacency.read(from, this.#buffer);
    const { count, nodes, links } = this.#buffer;
    for (let at = 0; at < count; at++) {
      const node = nodes[at]!;
      if (!isFar(node) || passes?.(links[at]!) === false) continue;
      if (keepsLinks) this.links.push(links[at]!);
      else if (!this.#marks.add(node)) continue;
      this.#next.push(node);
    }
  }

  *#repeat({ step, far }: BoundStep): Generator<void, void> {
    if (step.repeat === undefined) return;
    const sources = new NodeSet(this.#nodes.toArray(), false, this.#context.reader.nodeBound);
    this.#take(yield* new TrailSearch(this.#context, step, step.repeat).image(sources, far.has));
  }
}
