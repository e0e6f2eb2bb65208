/**
 * Tests whether two nodes are linked, usually many times with the same first node: conditions between
 * aliases, and levels that join neighbours. *Hot path*.
 *
 * Each test reads the neighbours of the shorter side, until these reads have cost as much as reading all
 * neighbours of the first node; those are then marked, and each further test is one lookup. So no sequence of
 * tests costs more than twice the better of both methods.
 */
import type { Adjacency, LinkBuffer } from '#graph/model';
import type { PatternStep } from '../pattern/pattern.ts';
import { reversed } from '../pattern/set-plan.ts';
import { emptyBuffer, type ExecutionContext } from '../context/execution-context.ts';
import type { NodeMarks } from '../context/node-marks.ts';

export class LinkTest {
  readonly #context: ExecutionContext;
  readonly #onward: Adjacency;
  readonly #backward: Adjacency;
  readonly #buffer: LinkBuffer = emptyBuffer();
  readonly #one = new Uint32Array(1);
  #marks: NodeMarks | undefined;
  #from = -1;
  /** The marked neighbours of the first node, if any. */
  #marked: NodeMarks | undefined;
  #links = 0;
  #spent = 0;

  constructor(context: ExecutionContext, step: Pick<PatternStep, 'verbs' | 'direction'>) {
    this.#context = context;
    this.#onward = context.adjacency(step);
    this.#backward = context.adjacency(reversed(step));
  }

  /** Approximate number of links from a node. */
  degree(node: number): number {
    return this.#degree(this.#onward, node);
  }

  holds(from: number, to: number): boolean {
    if (from !== this.#from) this.#begin(from);
    if (this.#marked !== undefined) return this.#marked.has(to);
    const links = this.#degree(this.#backward, to);
    if (this.#spent + links >= this.#links) return this.#mark().has(to);
    this.#spent += links;
    this.#backward.read(to, this.#buffer);
    for (let at = 0; at < this.#buffer.count; at++) if (this.#buffer.nodes[at] === from) return true;
    return false;
  }

  #begin(from: number): void {
    this.#from = from;
    this.#marked = undefined;
    this.#spent = 0;
    this.#links = this.degree(from);
  }

  #mark(): NodeMarks {
    const marks = (this.#marks ??= this.#context.takeMarks());
    marks.clear();
    this.#onward.read(this.#from, this.#buffer);
    for (let at = 0; at < this.#buffer.count; at++) marks.add(this.#buffer.nodes[at]!);
    this.#marked = marks;
    return marks;
  }

  #degree(adjacency: Adjacency, node: number): number {
    this.#one[0] = node;
    return adjacency.estimate(this.#one);
  }
}
