import {
  completeEntity,
  createProperties,
  type EntityInput,
  type EntityKey,
  type EntityStatement,
  type Properties,
  type RelationshipInput,
  type RelationshipKey,
} from '#graph/model';
import { DomainError } from '#platform/foundation';
import { PackedTexts } from './packed-texts.ts';

/** Of V8, in bytes: a text, an object and an entry of a map, as a record has them that is being synced. */
const RECORD_BYTES = 100;
/** What connectors themselves keep of an entity, such as its id and its kind. */
const KEPT_BYTES = 150;

/**
 * Distinct entities and relationships. Statements of one key must be equal. They are kept as JSON, which is
 * compressed.
 */
export class Collected {
  /** By type and key. */
  readonly #byType = new Map<string, PackedTexts>();
  /** By identity. */
  #relationships = new PackedTexts();
  #entityCount = 0;
  #syncBytes = 0;

  get entityCount(): number {
    return this.#entityCount;
  }

  get relationshipCount(): number {
    return this.#relationships.size;
  }

  /** The memory that all would take as one batch, estimated: several times what they take here. */
  get syncBytes(): number {
    return this.#syncBytes;
  }

  has({ type, key }: EntityKey): boolean {
    return this.#byType.get(type)?.has(key) === true;
  }

  *entities(type: string): Iterable<EntityInput> {
    for (const text of this.#byType.get(type) ?? []) yield completeEntity(entityOf(text));
  }

  /** All entities as stated, without default class and name. */
  *allEntities(): Iterable<EntityStatement> {
    for (const ofType of this.#byType.values()) for (const text of ofType) yield entityOf(text);
  }

  *allRelationships(): Iterable<RelationshipInput> {
    for (const text of this.#relationships) yield relationshipOf(text);
  }

  /**
   * Returns the memory that it takes here, in bytes: 0 if it is known, negative if others were compressed.
   * Throws DUPLICATE_KEY for another statement.
   */
  addEntity(entity: EntityStatement): number {
    const ofType = this.#ofType(entity.type);
    const before = ofType.bytes;
    if (!this.#put(ofType, entity.key, JSON.stringify(entity))) return 0;
    this.#entityCount++;
    return ofType.bytes - before + KEPT_BYTES;
  }

  /** Like {@link addEntity}. */
  addRelationship(relationship: RelationshipInput): number {
    const before = this.#relationships.bytes;
    const isNew = this.#put(this.#relationships, identityOf(relationship), JSON.stringify(relationship));
    return isNew ? this.#relationships.bytes - before : 0;
  }

  hasRelationship(relationship: RelationshipInput): boolean {
    return this.#relationships.has(identityOf(relationship));
  }

  /** Takes all of the other, which is empty then; on DUPLICATE_KEY, nothing of it. */
  takeAll(other: Collected): void {
    // A type that is new here is taken as it is, without reading its texts.
    const shared = Array.from(other.#byType).filter(([type]) => this.#byType.has(type));
    const takesRelationships = this.#relationships.size === 0;
    for (const [type, theirs] of shared)
      for (const text of theirs) requireEqual(this.#ofType(type), entityOf(text).key, text);
    if (!takesRelationships)
      for (const text of other.#relationships)
        requireEqual(this.#relationships, identityOf(relationshipOf(text)), text);
    this.#syncBytes += other.#syncBytes;
    this.#entityCount += other.#entityCount;
    for (const [type, theirs] of shared) {
      const ofType = this.#ofType(type);
      for (const text of theirs) if (ofType.put(entityOf(text).key, text) !== 'new') this.#entityCount--;
      other.#byType.delete(type);
    }
    for (const [type, theirs] of other.#byType) this.#byType.set(type, theirs);
    if (takesRelationships) this.#relationships = other.#relationships;
    else
      for (const text of other.#relationships)
        this.#relationships.put(identityOf(relationshipOf(text)), text);
    other.#clear();
  }

  /** Returns whether it is new. */
  #put(texts: PackedTexts, name: string, text: string): boolean {
    const put = texts.put(name, text);
    if (put === 'other') requireEqual(texts, name, text);
    if (put !== 'new') return false;
    this.#syncBytes += text.length + RECORD_BYTES;
    return true;
  }

  #ofType(type: string): PackedTexts {
    const known = this.#byType.get(type);
    if (known !== undefined) return known;
    const texts = new PackedTexts();
    this.#byType.set(type, texts);
    return texts;
  }

  #clear(): void {
    this.#byType.clear();
    this.#relationships = new PackedTexts();
    this.#entityCount = 0;
    this.#syncBytes = 0;
  }
}

/** Its parts contain no NUL. */
function identityOf({ from, verb, to, key = '' }: RelationshipKey): string {
  return [from.type, from.key, verb.toUpperCase(), to.type, to.key, key].join('\0');
}

function entityOf(text: string): EntityStatement {
  const said = JSON.parse(text) as EntityStatement;
  return { ...said, properties: bagOf(said.properties) };
}

function relationshipOf(text: string): RelationshipInput {
  const said = JSON.parse(text) as RelationshipInput;
  return { ...said, properties: bagOf(said.properties) };
}

/** Names of properties are data, `__proto__` included: JSON keeps that one as its own. */
function bagOf(parsed: Properties): Properties {
  const bag = createProperties();
  for (const [name, value] of Object.entries(parsed)) bag[name] = value;
  return bag;
}

/** Throws DUPLICATE_KEY if the name has another statement than the given one. */
function requireEqual(texts: PackedTexts, name: string, said: string): void {
  const known = texts.get(name);
  if (known === undefined || known === said) return;
  const [one, other] = [known, said].map((text) => JSON.parse(text) as EntityStatement | RelationshipInput);
  if (one === undefined || other === undefined || canonical(one) === canonical(other)) return;
  const what = 'from' in one ? identityOf(one).replaceAll('\0', ' ') : `${one.type} ${one.key}`;
  throw new DomainError('DUPLICATE_KEY', `${what} was emitted twice, with different content`);
}

/** The order of properties is insignificant, and so is a class or name that is the default. */
function canonical(stated: EntityStatement | RelationshipInput): string {
  const record = 'from' in stated ? stated : completeEntity(stated);
  return JSON.stringify(record, (_name, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
