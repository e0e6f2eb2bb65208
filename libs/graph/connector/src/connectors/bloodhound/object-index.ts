/** The objects of a collection: which of them documents describe, and what edges say of the others. */
import type { EntityKey } from '#graph/model';
import { PackedTexts } from '../../run/packed-texts.ts';
import { exactText } from '../document/flat-properties.ts';
import { isUnspecific, labelsOf, typeOfKind, UNKNOWN } from './bloodhound-kinds.ts';
import type { Match, Principal, StatedObject } from './statement.ts';

interface Known {
  kind: string;
  name: string | undefined;
  /** How many elements describe it. */
  descriptions: number;
  /** Whether one of them is more than a part. */
  isWhole: boolean;
  entity: StatedObject['entity'];
}

/** First all elements are seen and all ends of edges are named, then each description is taken again. */
export class ObjectIndex {
  /** By id. */
  readonly #known = new Map<string, Known>();
  /** Of the few that are named by a value, too. */
  readonly #matches = new Map<string, Match>();
  /** Of objects with several descriptions: how many are taken. */
  readonly #taken = new Map<string, number>();
  /** What they say, by number and id. */
  readonly #texts = new PackedTexts();

  see({ id, kind, isPart = false, entity }: StatedObject): void {
    const known = this.#known.get(id);
    const isWhole = !isPart;
    if (known === undefined) {
      this.#known.set(id, { kind, name: undefined, descriptions: 1, isWhole, entity });
      return;
    }
    // The first description that is more than a part says what it is.
    if (known.descriptions === 0 || (isWhole && !known.isWhole)) Object.assign(known, { kind, entity });
    known.isWhole ||= isWhole;
    known.descriptions++;
  }

  /** An end of an edge. The first kind that says something counts. */
  name({ id, kind, name, match }: Principal): void {
    if (id === '') return;
    if (match !== undefined) this.#matches.set(id, match);
    const known = this.#known.get(id);
    if (known === undefined)
      this.#known.set(id, { kind, name, descriptions: 0, isWhole: false, entity: undefined });
    else if (known.descriptions === 0) {
      if (isUnspecific(known.kind)) known.kind = kind;
      known.name ??= name;
    }
  }

  /** The objects that only edges name. */
  *undescribed(): Generator<StatedObject> {
    for (const [id, { kind, name, descriptions }] of this.#known)
      if (descriptions === 0) yield { id, kind, name, match: this.#matches.get(id), properties: {} };
  }

  /** The object as all of its descriptions say, with the last of them; until then, undefined. */
  take(object: StatedObject): StatedObject | undefined {
    const { id } = object;
    const known = this.#known.get(id);
    if (known === undefined || known.descriptions === 1) return object;
    const taken = (this.#taken.get(id) ?? 0) + 1;
    this.#taken.set(id, taken);
    this.#texts.put(`${taken} ${id}`, exactText(object));
    if (taken < known.descriptions) return undefined;
    const texts = Array.from({ length: taken }, (_, at) => this.#texts.get(`${at + 1} ${id}`) ?? '{}');
    const all = texts.map((text) => JSON.parse(text) as StatedObject);
    return { ...merged(all), kind: known.kind, entity: known.entity, labels: labelsIn(all, known.kind) };
  }

  entityAt(id: string): EntityKey {
    const known = this.#known.get(id);
    return known?.entity ?? { type: typeOfKind(known?.kind ?? ''), key: id };
  }
}

/** Later descriptions count more than earlier ones, and parts less than others. */
function merged(all: readonly StatedObject[]): StatedObject {
  const sorted = all.toSorted((one, other) => Number(other.isPart === true) - Number(one.isPart === true));
  return sorted.reduce((before, object) => ({
    ...before,
    ...object,
    name: object.name ?? before.name,
    properties: { ...before.properties, ...object.properties },
  }));
}

/** What it is beside its kind. */
function labelsIn(all: readonly StatedObject[], kind: string): readonly string[] {
  const labels = new Set(all.flatMap((object) => [object.kind, ...(object.labels ?? labelsOf(object.kind))]));
  return [...labels].filter((label) => label !== kind && label !== UNKNOWN);
}
