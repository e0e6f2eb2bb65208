import type { JsonObject } from '#graph/model';
import { verbOf } from './stix-names.ts';
import { scalarText } from '../document/json-text.ts';

/** A reference within an object, by a field `…_ref` or `…_refs`. */
export interface StixReference {
  /** The fields that lead to it, without the places in lists: `extensions.archive-ext.contains_refs`. */
  readonly path: string;
  readonly verb: string;
  /** Id of the object that it names. */
  readonly target: string;
  readonly isNested: boolean;
  /** Parts of the object that a granular marking is about. */
  readonly selectors: readonly string[];
}

const VERBS: Readonly<Record<string, string>> = {
  created_by_ref: 'CREATED_BY',
  object_marking_refs: 'MARKED_BY',
  marking_ref: 'MARKED_BY',
  x_mitre_modified_by_ref: 'MODIFIED_BY',
};
const REFERENCE = /^\w[\w-]*_refs?$/;

/** The references of an object at any depth, each once. `own` are top-level fields to leave out. */
export function referencesOf(object: JsonObject, own: ReadonlySet<string>): readonly StixReference[] {
  const found = new Map<string, StixReference>();
  const top = Object.entries(object).filter(([name]) => !own.has(name));
  for (const reference of referencesIn(Object.fromEntries(top), [])) {
    const id = `${reference.path} ${reference.target}`;
    const known = found.get(id);
    const selectors = new Set([...(known?.selectors ?? []), ...reference.selectors]);
    found.set(id, { ...reference, selectors: [...selectors] });
  }
  return [...found.values()];
}

function* referencesIn(object: object, path: readonly string[]): Iterable<StixReference> {
  for (const [name, value] of Object.entries(object) as Iterable<[string, unknown]>) {
    const here = [...path, name];
    for (const item of itemsOf(value)) {
      if (typeof item === 'string' && REFERENCE.test(name)) yield reference(here, item, object);
      else if (typeof item === 'object' && item !== null) yield* referencesIn(item, here);
    }
  }
}

/**
 * The verbs of references at any depth that name nothing that an id could be. Observables of observed data
 * are objects of their own.
 */
export function* brokenReferencesOf(
  object: object,
  path: readonly string[] = [],
): Iterable<Pick<StixReference, 'path' | 'verb'>> {
  for (const [name, value] of Object.entries(object) as Iterable<[string, unknown]>) {
    const here = [...path, name];
    const broken = REFERENCE.test(name) ? brokenItems(name, value) : 0;
    for (let count = 0; count < broken; count++) yield { path: here.join('.'), verb: verbOfField(name) };
    if (REFERENCE.test(name) || here.join('.') === 'objects') continue;
    for (const item of itemsOf(value))
      if (typeof item === 'object' && item !== null) yield* brokenReferencesOf(item, here);
  }
}

/** How many items are no texts; a single reference is no empty list. */
function brokenItems(name: string, value: unknown): number {
  if (name.endsWith('_ref') && Array.isArray(value) && value.length === 0) return 1;
  return itemsOf(value).filter((item) => item !== null && typeof item !== 'string').length;
}

/** The items of a list, also of lists within it; of anything else, itself. */
function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value.flat(Infinity) as readonly unknown[]) : [value];
}

function reference(path: readonly string[], target: string, around: object): StixReference {
  const field = path.at(-1) ?? '';
  const selectors: unknown = 'selectors' in around ? around.selectors : undefined;
  return {
    path: path.join('.'),
    verb: verbOfField(field),
    target,
    isNested: path.length > 1,
    selectors: field === 'marking_ref' && Array.isArray(selectors) ? selectors.map(scalarText) : [],
  };
}

function verbOfField(field: string): string {
  return VERBS[field] ?? `HAS_${verbOf(field.replace(/^x_(mitre_)?|_refs?$/g, ''))}`;
}
