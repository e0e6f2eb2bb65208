/** Reads content back from the bytes that are kept. Names inherit nothing, `__proto__` included. */
import { createProperties, type EntityInput, type Properties, type PropertyValue } from '#graph/model';

interface HeadFields {
  readonly id: string;
  readonly type: string;
  readonly class: string;
  readonly key: string;
  readonly display_name: string;
  readonly properties: Record<string, PropertyValue>;
}

export interface DecodedHead extends EntityInput {
  readonly id: string;
}

/** The entity that a JSON head, without its closing brace, tells of. */
export function decodeHead(head: string): DecodedHead {
  const fields = JSON.parse(`${head}}`) as HeadFields;
  return {
    id: fields.id,
    type: fields.type,
    key: fields.key,
    class: fields.class,
    displayName: fields.display_name,
    properties: ownProperties(fields.properties),
  };
}

/** The same from its UTF-8 bytes. */
export function decodeHeadBytes(head: Uint8Array): DecodedHead {
  return decodeHead(Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('utf8'));
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
 * The bytes in which content is kept and compared: JSON with properties sorted by name, so that equal content
 * is equal bytes. The head of an entity has no closing brace; a rendered stamp completes it to a reply.
 */

/** How many properties and which, in the order they came: records of one source repeat it. */
interface Shape {
  readonly names: readonly string[];
  readonly sorted: readonly string[];
  /** `"name":` */
  readonly labels: readonly string[];
}

const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

const NO_PROPERTIES = Buffer.from('{}', 'utf8');

const EMPTY: Shape = { names: [], sorted: [], labels: [] };

const SHAPES_MAX = 1_024;

const shapes = new Map<string, Shape>();

/** `{"id":…,"type":…,"class":…,"key":…,"display_name":…,"properties":{…}` in UTF-8. */
export function encodeEntityHead(id: string, input: EntityInput): Uint8Array {
  const { type, key, displayName } = input;
  const record = `{"id":"${id}","type":${quote(type)},"class":${quote(input.class)},"key":${quote(key)}`;
  const properties = propertiesText(shapeOf(type, input.properties), input.properties);
  return Buffer.from(`${record},"display_name":${quote(displayName)},"properties":${properties}`, 'utf8');
}

/**
 * The properties as one JSON object in UTF-8, not to be written to. `group` names records that share their
 * property names.
 */
export function encodeProperties(properties: Properties, group = ''): Uint8Array {
  const shape = shapeOf(group, properties);
  return shape === EMPTY ? NO_PROPERTIES : Buffer.from(propertiesText(shape, properties), 'utf8');
}

function propertiesText(shape: Shape, properties: Properties): string {
  let text = '{';
  const { sorted, labels } = shape;
  for (let at = 0; at < sorted.length; at++) {
    const value = properties[sorted[at] ?? ''];
    text += at === 0 ? (labels[at] ?? '') : `,${labels[at] ?? ''}`;
    text += typeof value === 'string' ? quote(value) : JSON.stringify(value ?? null);
  }
  return `${text}}`;
}

function shapeOf(group: string, properties: Properties): Shape {
  const names = Object.keys(properties);
  if (names.length === 0) return EMPTY;
  const known = shapes.get(group);
  if (known !== undefined && isSame(known.names, names)) return known;
  // In the order in which an object gives its names back: whole numbers stand first.
  const sorted = Object.keys(Object.fromEntries(names.toSorted().map((name) => [name, null])));
  const shape = { names, sorted, labels: sorted.map((name) => `${JSON.stringify(name)}:`) };
  if (shapes.size >= SHAPES_MAX) shapes.clear();
  shapes.set(group, shape);
  return shape;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/** `JSON.stringify` writes lone surrogates as escapes, so that the bytes are always well-formed UTF-8. */
function quote(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}
