/**
 * Counts the nodes of a list by class. In a segment with a single class, the usual case, nodes are counted
 * without reading them. *Hot path*.
 */
import type { Steps } from '#platform/foundation';
import type { View } from '../delta/view.ts';

const NODES_PER_STEP = 256;

export function* countClasses(view: View, nodes: Uint32Array): Steps<ReadonlyMap<string, number>> {
  const counter = new ClassCounter(view);
  for (let start = 0; start < nodes.length; start += NODES_PER_STEP) {
    const end = Math.min(nodes.length, start + NODES_PER_STEP);
    for (let at = start; at < end; at++) counter.add(nodes[at]!);
    if (end < nodes.length) yield;
  }
  return counter.counts();
}

class ClassCounter {
  readonly #view: View;
  /** Number of nodes by segment with a single class. */
  readonly #sizes: Uint32Array;
  readonly #counts = new Map<string, number>();

  constructor(view: View) {
    this.#view = view;
    this.#sizes = new Uint32Array(view.base.segments.length);
  }

  add(node: number): void {
    const { base, nodeLimit } = this.#view;
    if (node < base.nodeCount && (nodeLimit === 0 || this.#view.nodeVersion(node) === 0)) {
      const number = base.segmentAt(node);
      if (base.segments[number]!.classes.length === 1) {
        this.#sizes[number]!++;
        return;
      }
    }
    this.#note(String(this.#view.nodeField(node, 'class')), 1);
  }

  counts(): ReadonlyMap<string, number> {
    const { segments } = this.#view.base;
    for (let number = 0; number < segments.length; number++) {
      if (this.#sizes[number]! > 0) this.#note(segments[number]!.classes[0]!, this.#sizes[number]!);
    }
    return this.#counts;
  }

  #note(name: string, count: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }
}
