/**
 * Whether two nodes are linked, asked again and again with the same first node: conditions between aliases,
 * and levels that join neighbours. *Hot path*.
 *
 * The neighbours of the shorter side are read, until those reads have cost as much as reading all of the
 * first node's; then those are marked, and each further question is one look. So no order of questions costs
 * more than twice what the better of both ways would.
 */
import type { Adjacency, LinkBuffer } from '#graph/model';
import type { PatternStep } from '../plan/pattern.ts';
import { reversed } from '../plan/set-plan.ts';
import { emptyBuffer, type ExecutionContext } from './execution-context.ts';
import type { NodeMarks } from './node-marks.ts';

export class LinkTest {
  readonly #context: ExecutionContext;
  readonly #onward: Adjacency;
  readonly #backward: Adjacency;
  readonly #buffer: LinkBuffer = emptyBuffer();
  readonly #one = new Uint32Array(1);
  #marks: NodeMarks | undefined;
  #from = -1;
  /** The neighbours of the first node, once they are marked. */
  #marked: NodeMarks | undefined;
  #links = 0;
  #spent = 0;

  constructor(context: ExecutionContext, step: Pick<PatternStep, 'verbs' | 'direction'>) {
    this.#context = context;
    this.#onward = context.adjacency(step);
    this.#backward = context.adjacency(reversed(step));
  }

  /** About how many links lead on from a node. */
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
