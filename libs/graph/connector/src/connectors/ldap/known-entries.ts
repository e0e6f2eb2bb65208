import type { EntityInput, EntityKey } from '#graph/model';

/** Entities by what a directory calls them. Several may go by one name. */
export class KnownEntries {
  readonly #byName = new Map<string, EntityKey[]>();

  constructor(entities: Iterable<EntityInput>, namesOf: (entity: EntityInput) => readonly string[]) {
    for (const entity of entities) {
      const key = { type: entity.type, key: entity.key };
      for (const name of new Set(namesOf(entity))) {
        const sameName = this.#byName.get(name);
        if (sameName === undefined) this.#byName.set(name, [key]);
        else sameName.push(key);
      }
    }
  }

  find(name: string): readonly EntityKey[] {
    return this.#byName.get(name) ?? [];
  }
}

/** The values of a property that has one or many, or none. */
export function namesIn({ properties }: EntityInput, property: string): readonly string[] {
  const value = properties[property];
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}
