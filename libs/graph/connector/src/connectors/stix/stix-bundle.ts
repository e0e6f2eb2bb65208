import { FieldPath, isAbsent, isJsonObject, type JsonObject, kindOf } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { parseJson, textOr } from '../document/json-text.ts';
import { compareInstants } from '../document/instant.ts';
import { typeOf } from './stix-names.ts';
import { type SkippedObject, type StixContent, StixReader } from './stix-reader.ts';

/** Reads one document; throws like {@link readStixBundles}. */
export function readStixBundle(text: string): StixContent {
  return readStixBundles([stixObjectsIn(text)]);
}

/** The objects of one document. */
export interface StixObjects {
  readonly objects: readonly unknown[];
  /** The name of the list, for messages. */
  readonly place: string;
  /** Whether it is a page of several, and whether more follow. */
  readonly page: 'none' | 'more' | 'last';
}

/**
 * The objects of a bundle, an envelope of TAXII or a list of objects. Throws INVALID_REQUEST naming the
 * field, or the kind of another document.
 */
export function stixObjectsIn(text: string): StixObjects {
  const value = parseJson(text, 'a STIX bundle');
  return Array.isArray(value)
    ? { objects: value, place: '', page: 'none' }
    : objectsOf(isJsonObject(value) ? value : {}, value);
}

const ENVELOPE: ReadonlySet<string> = new Set(['more', 'next', 'objects']);

function objectsOf(found: JsonObject, value: unknown): StixObjects {
  const { type, objects, more, next } = found;
  // An envelope without objects has nothing else.
  const isEmpty = !isAbsent(more) && Object.keys(found).every((name) => ENVELOPE.has(name));
  const isEnvelope = isAbsent(type) && (Array.isArray(objects) || isEmpty);
  if (!isEnvelope && (type !== 'bundle' || isAbsent(objects)))
    throw new DomainError('INVALID_REQUEST', `expected a STIX bundle, got ${otherKind(value, found)}`);
  if (!isAbsent(objects) && !Array.isArray(objects))
    throw new FieldPath('').fault('objects', `expected a list, got ${kindOf(objects)}`);
  const pageOf = (): StixObjects['page'] => (more === true || !isAbsent(next) ? 'more' : 'last');
  const page = isEnvelope ? pageOf() : 'none';
  return { objects: (objects ?? []) as readonly unknown[], place: 'objects', page };
}

/** What a document is that is no bundle. */
function otherKind(value: unknown, { type, id }: JsonObject): string {
  if (type === 'bundle') return 'one without objects, of which nothing can be said';
  if (!isJsonObject(value)) return kindOf(value);
  if (typeof type === 'string' && typeof id === 'string') return `a single STIX object, ${type}`;
  return 'another JSON object: its type is not "bundle"';
}

/**
 * The content of several documents as one. Of several versions of an object, the one last modified is used.
 * Throws INVALID_REQUEST for pages of TAXII without the last one.
 */
export function readStixBundles(documents: readonly StixObjects[]): StixContent {
  const pages = documents.map(({ page }) => page);
  if (pages.includes('more') && !pages.includes('last')) {
    const message = 'expected all pages of the collection, got an envelope that says that there are more';
    throw new DomainError('INVALID_REQUEST', message);
  }
  const { latest, skipped } = readableObjects(documents);
  const content = new StixReader(latest).read();
  return { ...content, skipped: [...skipped, ...content.skipped] };
}

interface ReadableObjects {
  /** By id. Of several versions of an object, the one last modified; of two of one instant, the last one. */
  readonly latest: ReadonlyMap<string, JsonObject>;
  readonly skipped: readonly SkippedObject[];
}

/** An object without an id is left out, and named. */
function readableObjects(documents: readonly StixObjects[]): ReadableObjects {
  const latest = new Map<string, JsonObject>();
  const skipped: SkippedObject[] = [];
  for (const { value, place } of documents.flatMap(placedObjects)) {
    const object = isJsonObject(value) ? typed(value) : undefined;
    const id = object && textOr(object, 'id');
    if (object === undefined || id === undefined) skipped.push(skippedObject(value, place));
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

function placedObjects({ objects, place }: StixObjects): readonly { value: unknown; place: string }[] {
  return objects.map((value, index) => ({ value, place: `${place}[${index}]` }));
}

function skippedObject(value: unknown, place: string): SkippedObject {
  const type = isJsonObject(value) ? textOr(value, 'type') : undefined;
  const what = isJsonObject(value) ? 'an object without an id' : kindOf(value);
  return {
    types: type === undefined ? [] : [typeOf(type)],
    reason: `${place}: expected a STIX object, got ${what}; it is left out`,
  };
}
