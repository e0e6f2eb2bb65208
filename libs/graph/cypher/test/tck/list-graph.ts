/** A graph in plain lists, for the conformance kit: each read looks at everything. */
import type { CypherMap, Value } from '../../src/value/value.ts';
import type { Expansion, NodeSelection, PropertyGraph } from '../../src/graph/property-graph.port.ts';
import type { GraphWriter } from '../../src/graph/graph-writer.port.ts';
import type { LinkDirection } from '../../src/syntax/ast.ts';
import type { Steps } from '#platform/foundation';

interface Link {
  readonly type: string;
  readonly from: number;
  readonly to: number;
  readonly properties: CypherMap;
}

export class ListGraph implements PropertyGraph, GraphWriter {
  readonly #nodes: { readonly labels: readonly string[]; readonly properties: CypherMap }[] = [];
  readonly #links: Link[] = [];

  createNode(labels: readonly string[], properties: CypherMap): number {
    this.#nodes.push({ labels: [...new Set(labels)], properties: withoutNulls(properties) });
    return this.#nodes.length - 1;
  }

  createLink(type: string, { from, to }: { from: number; to: number }, properties: CypherMap): number {
    this.#links.push({ type, from, to, properties: withoutNulls(properties) });
    return this.#links.length - 1;
  }

  estimate(): number {
    return this.#nodes.length;
  }

  *scan({ labels }: NodeSelection): Steps<Iterable<number>> {
    yield;
    const nodes = [...this.#nodes.keys()];
    return nodes.filter((node) => labels.every((label) => this.hasLabel(node, label)));
  }

  expand(node: number, direction: LinkDirection, types: readonly string[] | '*'): Expansion {
    const links: number[] = [];
    const nodes: number[] = [];
    for (const [link, { type, from, to }] of this.#links.entries()) {
      if (types !== '*' && !types.includes(type)) continue;
      const isOut = direction !== 'in' && from === node;
      const isIn = direction !== 'out' && to === node;
      if (!isOut && !isIn) continue;
      links.push(link);
      nodes.push(isOut ? to : from);
    }
    return { links, nodes };
  }

  labels(node: number): readonly string[] {
    return this.#nodes[node]?.labels ?? [];
  }

  hasLabel(node: number, label: string): boolean {
    return this.labels(node).includes(label);
  }

  nodeProperty(node: number, key: string): Value {
    return this.nodeProperties(node).get(key) ?? null;
  }

  nodeProperties(node: number): CypherMap {
    return this.#nodes[node]?.properties ?? new Map<string, Value>();
  }

  nodeElementId(node: number): string {
    return `n${String(node)}`;
  }

  type(link: number): string {
    return this.#link(link).type;
  }

  start(link: number): number {
    return this.#link(link).from;
  }

  end(link: number): number {
    return this.#link(link).to;
  }

  linkProperty(link: number, key: string): Value {
    return this.linkProperties(link).get(key) ?? null;
  }

  linkProperties(link: number): CypherMap {
    return this.#link(link).properties;
  }

  linkElementId(link: number): string {
    return `r${String(link)}`;
  }

  #link(link: number): Link {
    const found = this.#links[link];
    if (found === undefined) throw new Error(`expected a relationship, got ${String(link)}`);
    return found;
  }
}

function withoutNulls(properties: CypherMap): CypherMap {
  return new Map([...properties].filter(([, value]) => value !== null));
}
