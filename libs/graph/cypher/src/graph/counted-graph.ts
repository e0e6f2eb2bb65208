import type { Steps } from '#platform/foundation';
import type { LinkDirection } from '../syntax/ast.ts';
import type { CypherMap, Value } from '../value/value.ts';
import type { Expansion, NodeSelection, PropertyGraph } from './property-graph.port.ts';

/** A graph that tells of each read: of a node, a relationship, a property. */
export class CountedGraph implements PropertyGraph {
  readonly #graph: PropertyGraph;
  readonly #hit: () => void;

  constructor(graph: PropertyGraph, hit: () => void) {
    this.#graph = graph;
    this.#hit = hit;
  }

  get snapshot(): PropertyGraph['snapshot'] {
    return this.#graph.snapshot;
  }

  estimate(selection: NodeSelection): number {
    return this.#graph.estimate(selection);
  }

  *scan(selection: NodeSelection): Steps<Iterable<number>> {
    const nodes = yield* this.#graph.scan(selection);
    return this.#each(nodes);
  }

  *#each(nodes: Iterable<number>): Generator<number, void> {
    for (const node of nodes) {
      this.#hit();
      yield node;
    }
  }

  expand(node: number, direction: LinkDirection, types: readonly string[] | '*'): Expansion {
    const found = this.#graph.expand(node, direction, types);
    this.#hit();
    for (let read = 0; read < found.links.length; read++) this.#hit();
    return found;
  }

  degree(node: number, direction: LinkDirection, types: readonly string[] | '*'): number {
    return this.#graph.degree(node, direction, types);
  }

  labels(node: number): readonly string[] {
    this.#hit();
    return this.#graph.labels(node);
  }

  hasLabel(node: number, label: string): boolean {
    this.#hit();
    return this.#graph.hasLabel(node, label);
  }

  nodeProperty(node: number, key: string): Value {
    this.#hit();
    return this.#graph.nodeProperty(node, key);
  }

  nodeProperties(node: number): CypherMap {
    this.#hit();
    return this.#graph.nodeProperties(node);
  }

  nodeElementId(node: number): string {
    return this.#graph.nodeElementId(node);
  }

  type(link: number): string {
    return this.#graph.type(link);
  }

  start(link: number): number {
    return this.#graph.start(link);
  }

  end(link: number): number {
    return this.#graph.end(link);
  }

  linkProperty(link: number, key: string): Value {
    this.#hit();
    return this.#graph.linkProperty(link, key);
  }

  linkProperties(link: number): CypherMap {
    this.#hit();
    return this.#graph.linkProperties(link);
  }

  linkElementId(link: number): string {
    return this.#graph.linkElementId(link);
  }
}
