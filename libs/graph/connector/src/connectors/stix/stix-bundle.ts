import { FieldPath, isAbsent, type JsonObject, kindOf } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { objectsIn, parseJson, textIn } from '../json-text.ts';
import { compareInstants } from './instant.ts';
import { type StixContent, StixReader } from './stix-reader.ts';

/**
 * Reads a bundle; throws INVALID_REQUEST naming the field, or the kind of another document. Of several
 * versions of an object, the one last modified is used.
 */
export function readStixBundle(text: string): StixContent {
  const bundle = bundleIn(parseJson(text, 'a STIX bundle'));
  return new StixReader(latestById(objectsIn(bundle, 'objects', new FieldPath('')))).read();
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

/** A bundle may hold several versions of an object. Of two of the same instant, the last one is used. */
function latestById(objects: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const byId = new Map<string, JsonObject>();
  for (const [index, object] of objects.entries()) {
    const path = new FieldPath(`objects[${index}]`);
    const id = textIn(object, 'id', path);
    textIn(object, 'type', path);
    const known = byId.get(id);
    if (known === undefined || compareInstants(object['modified'], known['modified']) >= 0)
      byId.set(id, object);
  }
  return byId;
}
