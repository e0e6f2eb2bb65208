import {
  isList,
  isMap,
  LinkValue,
  NodeValue,
  type PathValue,
  type PropertyGraph,
  type Value,
} from '#graph/cypher';
import { assert } from '#platform/foundation';
import type { Packer } from '../packstream/packer.ts';
import { TAG } from './structure-tag.ts';

/** How values are written on one connection. */
export interface ValueForm {
  /** From 5.0 elements have their ids as texts too. */
  readonly hasElementIds: boolean;
  /** Whether times with a zone are counted in UTC: from 5.0, and in 4.4 where the client asked for it. */
  readonly isUtc: boolean;
}

/** Writes values of Cypher. Nodes and relationships are those of the given graph. */
export class ValuePacker {
  readonly #packer: Packer;
  readonly #form: ValueForm;

  constructor(packer: Packer, form: ValueForm) {
    this.#packer = packer;
    this.#form = form;
  }

  /** The values of a row, as a list. */
  row(values: readonly Value[], graph: PropertyGraph): void {
    this.#packer.listHeader(values.length);
    for (const value of values) this.value(value, graph);
  }

  value(value: Value, graph: PropertyGraph): void {
    switch (typeof value) {
      case 'string':
        this.#packer.string(value);
        return;
      case 'bigint':
        this.#packer.integer(value);
        return;
      case 'number':
        this.#packer.float(value);
        return;
      case 'boolean':
        this.#packer.boolean(value);
        return;
      default:
        if (value === null) this.#packer.null();
        else this.#object(value, graph);
    }
  }

  #object(value: Value & object, graph: PropertyGraph): void {
    if (isList(value)) this.row(value, graph);
    else if (isMap(value)) this.#map(value, graph);
    else if (value instanceof NodeValue) this.#node(value.node, graph);
    else if (value instanceof LinkValue) this.#relationship(value.link, graph);
    else this.#path(value, graph);
  }

  #map(map: ReadonlyMap<string, Value>, graph: PropertyGraph): void {
    this.#packer.mapHeader(map.size);
    for (const [key, value] of map) {
      this.#packer.string(key);
      this.value(value, graph);
    }
  }

  #node(node: number, graph: PropertyGraph): void {
    const { hasElementIds } = this.#form;
    this.#packer.structHeader(TAG.node, hasElementIds ? 4 : 3);
    this.#packer.integer(BigInt(node));
    const labels = graph.labels(node);
    this.#packer.listHeader(labels.length);
    for (const label of labels) this.#packer.string(label);
    this.#map(graph.nodeProperties(node), graph);
    if (hasElementIds) this.#packer.string(graph.nodeElementId(node));
  }

  #relationship(link: number, graph: PropertyGraph): void {
    const { hasElementIds } = this.#form;
    const [start, end] = [graph.start(link), graph.end(link)];
    this.#packer.structHeader(TAG.relationship, hasElementIds ? 8 : 5);
    for (const id of [link, start, end]) this.#packer.integer(BigInt(id));
    this.#packer.string(graph.type(link));
    this.#map(graph.linkProperties(link), graph);
    if (!hasElementIds) return;
    this.#packer.string(graph.linkElementId(link));
    for (const node of [start, end]) this.#packer.string(graph.nodeElementId(node));
  }

  /** Each element once, and for each step the number of its relationship, negative against its direction. */
  #path({ nodes, links }: PathValue, graph: PropertyGraph): void {
    const distinctNodes = [...new Set(nodes.map(({ node }) => node))];
    const distinctLinks = [...new Set(links.map(({ link }) => link))];
    this.#packer.structHeader(TAG.path, 3);
    this.#packer.listHeader(distinctNodes.length);
    for (const node of distinctNodes) this.#node(node, graph);
    this.#packer.listHeader(distinctLinks.length);
    for (const link of distinctLinks) this.#unbound(link, graph);
    const nodePlaces = new Map(distinctNodes.map((node, index) => [node, index]));
    const linkPlaces = new Map(distinctLinks.map((link, index) => [link, index + 1]));
    this.#packer.listHeader(links.length * 2);
    for (const [step, { link }] of links.entries()) {
      const [from, to] = [nodes[step]?.node, nodes[step + 1]?.node];
      assert(
        from !== undefined && to !== undefined,
        'expected a path to have one more node than relationships',
      );
      const place = linkPlaces.get(link) ?? 0;
      this.#packer.integer(BigInt(graph.start(link) === from ? place : -place));
      this.#packer.integer(BigInt(nodePlaces.get(to) ?? 0));
    }
  }

  #unbound(link: number, graph: PropertyGraph): void {
    const { hasElementIds } = this.#form;
    this.#packer.structHeader(TAG.unboundRelationship, hasElementIds ? 4 : 3);
    this.#packer.integer(BigInt(link));
    this.#packer.string(graph.type(link));
    this.#map(graph.linkProperties(link), graph);
    if (hasElementIds) this.#packer.string(graph.linkElementId(link));
  }
}
