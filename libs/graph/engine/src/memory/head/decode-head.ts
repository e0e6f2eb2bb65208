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
