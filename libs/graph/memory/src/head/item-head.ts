/**
 * Decodes stored content. Property names such as `__proto__` have no special meaning. *Hot path* of ingest.
 */
import {
  createProperties,
  type EntityInput,
  type Properties,
  type PropertyKinds,
  type PropertyValue,
} from '#graph/model';
import { JsonWriter } from './json-writer.ts';
import { decodeKinds, encodeKinds, shownEnd } from './kinds-text.ts';

interface HeadFields {
  readonly id: string;
  readonly type: string;
  readonly class: string;
  readonly key: string;
  readonly display_name: string;
  readonly labels?: readonly string[];
  readonly properties: Record<string, PropertyValue>;
}

export interface DecodedHead extends EntityInput {
  readonly id: string;
}

/** The entity of a head: JSON without its closing brace, and the kinds behind it. */
export function decodeHeadAt(bytes: Buffer, start: number, end: number): DecodedHead {
  const fields = JSON.parse(`${bytes.toString('utf8', start, shownEnd(bytes, end))}}`) as HeadFields;
  return {
    id: fields.id,
    type: fields.type,
    key: fields.key,
    class: fields.class,
    displayName: fields.display_name,
    labels: fields.labels,
    properties: ownProperties(fields.properties),
    kinds: decodeKinds(bytes, end),
  };
}

export function decodeHeadBytes(head: Uint8Array): DecodedHead {
  return decodeHeadAt(Buffer.from(head.buffer, head.byteOffset, head.byteLength), 0, head.byteLength);
}

/** The properties of a relationship's record, without the kinds behind them. */
export function decodePropertiesBytes(bytes: Uint8Array): Properties {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return decodeProperties(buffer.toString('utf8', 0, shownEnd(buffer, buffer.length)));
}

export function decodeProperties(json: string): Properties {
  return json === '{}'
    ? createProperties()
    : ownProperties(JSON.parse(json) as Record<string, PropertyValue>);
}

function ownProperties(parsed: Record<string, PropertyValue>): Properties {
  const properties = createProperties();
  for (const name of Object.keys(parsed)) properties[name] = parsed[name] ?? null;
  return properties;
}

/*
 * The form in which content is stored and compared: JSON with properties sorted by name, so that equal
 * content has equal bytes. The head of an entity has no closing brace; a rendered stamp completes it to a
 * reply.
 */

/** The names of properties in their original order, which the records of one source repeat. */
interface Shape {
  readonly names: readonly string[];
  /** The original positions of the properties, sorted by name. */
  readonly order: readonly number[];
  /** `"name":`, with a leading comma from the second on; sorted. */
  readonly labels: readonly Uint8Array[];
}

const NO_PROPERTIES = Buffer.from('{}', 'utf8');

const EMPTY: Shape = { names: [], order: [], labels: [] };

const GROUPS_MAX = 256;
const SHAPES_OF_GROUP_MAX = 16;

/** Shapes by group; many groups have a few, since sources omit unknown properties. */
const shapes = new Map<string, Shape[]>();

const json = new JsonWriter();

/**
 * `{"id":…,"type":…,"class":…,"key":…,"display_name":…,"properties":{…}` in UTF-8, read-only. Labels, if any,
 * precede the properties: `"labels":[…],`.
 */
export function encodeEntityHead(id: string, input: EntityInput): Uint8Array {
  const { type, key, displayName, labels, kinds } = input;
  json.begin().raw('{"id":"').raw(id).raw('","type":').string(type);
  json.raw(',"class":').string(input.class).raw(',"key":').string(key);
  json.raw(',"display_name":').string(displayName);
  if (labels !== undefined) json.raw(',"labels":').value(labels);
  json.raw(',"properties":');
  writeProperties(shapeOf(type, input.properties), input.properties);
  if (kinds !== undefined) json.text(encodeKinds(kinds));
  return json.take();
}

/**
 * The properties as one JSON object in UTF-8, read-only. `group` identifies records that share their property
 * names.
 */
export function encodeProperties(properties: Properties, group = '', kinds?: PropertyKinds): Uint8Array {
  const shape = shapeOf(group, properties);
  if (shape === EMPTY) return NO_PROPERTIES;
  json.begin();
  writeProperties(shape, properties);
  if (kinds !== undefined) json.text(encodeKinds(kinds));
  return json.take();
}

function writeProperties({ order, labels }: Shape, properties: Properties): void {
  const values = Object.values(properties);
  json.raw('{');
  for (let at = 0; at < order.length; at++) json.bytes(labels[at]!).value(values[order[at]!] ?? null);
  json.raw('}');
}

function shapeOf(group: string, properties: Properties): Shape {
  const names = Object.keys(properties);
  if (names.length === 0) return EMPTY;
  const known = shapes.get(group);
  if (known !== undefined) for (const shape of known) if (isSame(shape.names, names)) return shape;
  return addShape(group, names);
}

function addShape(group: string, names: readonly string[]): Shape {
  // In the enumeration order of an object: integer names come first.
  const sorted = Object.keys(Object.fromEntries(names.toSorted().map((name) => [name, null])));
  const shape = {
    names,
    order: sorted.map((name) => names.indexOf(name)),
    labels: sorted.map((name, at) => Buffer.from(`${at === 0 ? '' : ','}${JSON.stringify(name)}:`, 'utf8')),
  };
  const known = shapes.get(group) ?? [];
  if (known.length >= SHAPES_OF_GROUP_MAX) known.shift();
  if (known.length === 0 && shapes.size >= GROUPS_MAX) shapes.clear();
  known.push(shape);
  shapes.set(group, known);
  return shape;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
