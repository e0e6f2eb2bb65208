import {
  DateTimeValue,
  DateValue,
  type DurationValue,
  isList,
  isMap,
  LinkValue,
  LocalDateTimeValue,
  LocalTimeValue,
  NodeValue,
  numericId,
  PathValue,
  PointValue,
  type PropertyGraph,
  TimeValue,
  type Value,
} from '#graph/cypher';
import { assert } from '#platform/foundation';
import type { Packer } from '../packstream/packer.ts';
import { NANOS_PER_SECOND, SECONDS_PER_DAY, TAG } from './structure-tag.ts';

/** How values are written on one connection. */
export interface ValueForm {
  /** Whether elements also have their ids as texts, as from version 5.0 on. */
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
    else if (value instanceof PathValue) this.#path(value, graph);
    else if (value instanceof PointValue) this.#point(value);
    else this.#temporal(value);
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
    const elementId = graph.nodeElementId(node);
    this.#packer.integer(numericId(elementId));
    const labels = graph.labels(node);
    this.#packer.listHeader(labels.length);
    for (const label of labels) this.#packer.string(label);
    this.#map(graph.nodeProperties(node), graph);
    if (hasElementIds) this.#packer.string(elementId);
  }

  #relationship(link: number, graph: PropertyGraph): void {
    const { hasElementIds } = this.#form;
    const ends = [graph.start(link), graph.end(link)].map((node) => graph.nodeElementId(node));
    const elementIds = [graph.linkElementId(link), ...ends];
    this.#packer.structHeader(TAG.relationship, hasElementIds ? 8 : 5);
    for (const elementId of elementIds) this.#packer.integer(numericId(elementId));
    this.#packer.string(graph.type(link));
    this.#map(graph.linkProperties(link), graph);
    if (hasElementIds) for (const elementId of elementIds) this.#packer.string(elementId);
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
      this.#packer.integer(graph.start(link) === from ? place : -place);
      this.#packer.integer(nodePlaces.get(to) ?? 0);
    }
  }

  #unbound(link: number, graph: PropertyGraph): void {
    const { hasElementIds } = this.#form;
    this.#packer.structHeader(TAG.unboundRelationship, hasElementIds ? 4 : 3);
    const elementId = graph.linkElementId(link);
    this.#packer.integer(numericId(elementId));
    this.#packer.string(graph.type(link));
    this.#map(graph.linkProperties(link), graph);
    if (hasElementIds) this.#packer.string(elementId);
  }

  #point({ srid, coordinates }: PointValue): void {
    this.#packer.structHeader(coordinates.length === 2 ? TAG.point2d : TAG.point3d, 1 + coordinates.length);
    this.#packer.integer(srid);
    for (const coordinate of coordinates) this.#packer.float(coordinate);
  }

  #temporal(value: TemporalValue): void {
    if (value instanceof DateValue) this.#integers(TAG.date, [value.epochDay]);
    else if (value instanceof LocalTimeValue) this.#integers(TAG.localTime, [value.nanoOfDay]);
    else if (value instanceof TimeValue) this.#integers(TAG.time, [value.nanoOfDay, value.offsetSeconds]);
    else if (value instanceof LocalDateTimeValue) {
      const { epochDay, nanoOfDay } = value;
      const nanos = nanoOfDay % NANOS_PER_SECOND;
      const seconds = epochDay * SECONDS_PER_DAY + (nanoOfDay - nanos) / NANOS_PER_SECOND;
      this.#integers(TAG.localDateTime, [seconds, nanos]);
    } else if (value instanceof DateTimeValue) this.#dateTime(value);
    else {
      const { months, days, seconds, nanoseconds } = value;
      this.#integers(TAG.duration, [months, days, seconds, nanoseconds]);
    }
  }

  #dateTime({ epochSecond, nanoOfSecond, offsetSeconds, zone }: DateTimeValue): void {
    const { isUtc } = this.#form;
    const hasZone = zone !== undefined;
    const tag = isUtc
      ? hasZone
        ? TAG.zonedDateTime
        : TAG.dateTime
      : hasZone
        ? TAG.legacyZonedDateTime
        : TAG.legacyDateTime;
    this.#packer.structHeader(tag, 3);
    this.#packer.integer(isUtc ? epochSecond : epochSecond + BigInt(offsetSeconds));
    this.#packer.integer(nanoOfSecond);
    if (hasZone) this.#packer.string(zone);
    else this.#packer.integer(offsetSeconds);
  }

  #integers(tag: number, fields: readonly (number | bigint)[]): void {
    this.#packer.structHeader(tag, fields.length);
    for (const field of fields) this.#packer.integer(field);
  }
}

type TemporalValue =
  DateValue | LocalTimeValue | TimeValue | LocalDateTimeValue | DateTimeValue | DurationValue;
