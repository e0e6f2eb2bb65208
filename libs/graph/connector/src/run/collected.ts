import { completeEntity, type EntityInput, type EntityStatement, type RelationshipInput } from '#graph/model';
import { DomainError } from '#platform/foundation';

/** Distinct entities and relationships. Statements of one key must be equal. */
export class Collected {
  readonly #byType = new Map<string, Map<string, EntityStatement>>();
  readonly #relationships = new Map<string, RelationshipInput>();
  #entityCount = 0;

  get entityCount(): number {
    return this.#entityCount;
  }

  get relationshipCount(): number {
    return this.#relationships.size;
  }

  entity(type: string, key: string): EntityInput | undefined {
    const statement = this.#byType.get(type)?.get(key);
    return statement && completeEntity(statement);
  }

  *entities(type: string): Iterable<EntityInput> {
    for (const statement of this.#byType.get(type)?.values() ?? []) yield completeEntity(statement);
  }

  /** All entities as stated, without default class and name. */
  *allEntities(): Iterable<EntityStatement> {
    for (const ofType of this.#byType.values()) yield* ofType.values();
  }

  allRelationships(): Iterable<RelationshipInput> {
    return this.#relationships.values();
  }

  /** Returns whether it is new. Throws DUPLICATE_KEY for a different statement of the same key. */
  addEntity(entity: EntityStatement): boolean {
    const known = this.entity(entity.type, entity.key);
    if (known !== undefined) {
      refuseDifference(known, completeEntity(entity), `${entity.type} ${entity.key}`);
      return false;
    }
    const ofType = this.#byType.get(entity.type) ?? new Map<string, EntityStatement>();
    this.#byType.set(entity.type, ofType.set(entity.key, entity));
    this.#entityCount++;
    return true;
  }

  /** Like {@link addEntity}. */
  addRelationship(relationship: RelationshipInput): boolean {
    const identity = identityOf(relationship);
    const known = this.#relationships.get(identity);
    if (known === undefined) this.#relationships.set(identity, relationship);
    else refuseDifference(known, relationship, identity.replaceAll('\0', ' '));
    return known === undefined;
  }

  hasRelationship(relationship: RelationshipInput): boolean {
    return this.#relationships.has(identityOf(relationship));
  }

  /** Adds all of the other; on DUPLICATE_KEY, nothing of it. */
  addAll(other: Collected): void {
    for (const entity of other.allEntities()) {
      const known = this.entity(entity.type, entity.key);
      if (known !== undefined)
        refuseDifference(known, completeEntity(entity), `${entity.type} ${entity.key}`);
    }
    for (const [identity, relationship] of other.#relationships) {
      const known = this.#relationships.get(identity);
      if (known !== undefined) refuseDifference(known, relationship, identity.replaceAll('\0', ' '));
    }
    for (const [type, theirs] of other.#byType) {
      const ofType = this.#byType.get(type) ?? new Map<string, EntityStatement>();
      this.#entityCount -= ofType.size;
      for (const [key, entity] of theirs) ofType.set(key, entity);
      this.#entityCount += ofType.size;
      this.#byType.set(type, ofType);
    }
    for (const [identity, each] of other.#relationships) this.#relationships.set(identity, each);
  }
}

function identityOf({ from, verb, to, key = '' }: RelationshipInput): string {
  return [from.type, from.key, verb.toUpperCase(), to.type, to.key, key].join('\0');
}

function refuseDifference(known: object, said: object, name: string): void {
  if (canonical(known) === canonical(said)) return;
  throw new DomainError('DUPLICATE_KEY', `${name} was emitted twice, with different content`);
}

/** The order of properties is insignificant. */
function canonical(record: object): string {
  return JSON.stringify(record, (_name, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
