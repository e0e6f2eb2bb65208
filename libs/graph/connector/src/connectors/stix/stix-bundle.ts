import { FieldPath, isAbsent, isJsonObject, type JsonObject, kindOf } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { parseJson, textOr } from '../json-text.ts';
import { compareInstants } from './instant.ts';
import { typeOf } from './stix-names.ts';
import { type SkippedObject, type StixContent, StixReader } from './stix-reader.ts';

/**
 * Reads a bundle; throws INVALID_REQUEST naming the field, or the kind of another document. Of several
 * versions of an object, the one last modified is used.
 */
export function readStixBundle(text: string): StixContent {
  const bundle = bundleIn(parseJson(text, 'a STIX bundle'));
  const { latest, skipped } = readableObjects(bundle);
  const content = new StixReader(latest).read();
  return { ...content, skipped: [...skipped, ...content.skipped] };
}

function bundleIn(value: unknown): JsonObject {
  const found = typeof value === 'object' && value !== null ? (value as JsonObject) : {};
  if (found['type'] === 'bundle' && !isAbsent(found['objects'])) return found;
  throw new DomainError('INVALID_REQUEST', `expected a STIX bundle, got ${otherKind(value, found)}`);
}

/** What a document is that is no bundle. */
function otherKind(value: unknown, { type, objects, id, more }: JsonObject): string {
  if (Array.isArray(value)) return 'a list: STIX objects without the bundle around them';
  if (type === 'bundle') return 'one without objects, of which nothing can be said';
  if (typeof value !== 'object' || value === null) return kindOf(value);
  if (isAbsent(type) && (Array.isArray(objects) || !isAbsent(more))) return 'a TAXII envelope';
  if (typeof type === 'string' && typeof id === 'string') return `a single STIX object, ${type}`;
  return 'another JSON object: its type is not "bundle"';
}

interface ReadableObjects {
  /** By id. Of several versions of an object, the one last modified; of two of one instant, the last one. */
  readonly latest: ReadonlyMap<string, JsonObject>;
  readonly skipped: readonly SkippedObject[];
}

/** An object without an id is left out, and named. */
function readableObjects(bundle: JsonObject): ReadableObjects {
  const list = bundle['objects'];
  if (!Array.isArray(list)) throw new FieldPath('').fault('objects', `expected a list, got ${kindOf(list)}`);
  const latest = new Map<string, JsonObject>();
  const skipped: SkippedObject[] = [];
  for (const [index, value] of (list as readonly unknown[]).entries()) {
    const object = isJsonObject(value) ? typed(value) : undefined;
    const id = object && textOr(object, 'id');
    if (object === undefined || id === undefined) skipped.push(skippedObject(value, index));
    else {
      const known = latest.get(id);
      if (known === undefined || compareInstants(object['modified'], known['modified']) >= 0)
        latest.set(id, object);
    }
  }
  return { latest, skipped };
}

/** The object with its type, which may be missing and is then read from the id: `tool--…`. */
function typed(object: JsonObject): JsonObject | undefined {
  const [ofId = ''] = textOr(object, 'id')?.split('--') ?? [];
  const type = textOr(object, 'type') ?? ofId;
  return type === '' ? undefined : { ...object, type };
}

function skippedObject(value: unknown, index: number): SkippedObject {
  const type = isJsonObject(value) ? textOr(value, 'type') : undefined;
  const what = isJsonObject(value) ? 'an object without an id' : kindOf(value);
  return {
    types: type === undefined ? [] : [typeOf(type)],
    reason: `objects[${index}]: expected a STIX object, got ${what}; it is left out`,
  };
}
