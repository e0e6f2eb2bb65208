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

/** Of V8, in bytes: a text, and an entry of a map with the average of its free room. */
const TEXT_BYTES = 16;
const ENTRY_BYTES = 40;
/** Texts that many relationships share, such as `{"verb":"MemberOf","properties":{"isacl":false}}`. */
const SHARED_TEXTS_MAX = 4_096;

/**
 * Distinct entities and relationships. Statements of one key must be equal. They are kept as JSON, which
 * takes less memory than objects.
 */
export class Collected {
  /** By type and key: all but these, as JSON. */
  readonly #byType = new Map<string, Map<string, string>>();
  /** By identity: the verb as stated, the key and the properties, as JSON. */
  #relationships = new Map<string, string>();
  readonly #shared = new Map<string, string>();
  #entityCount = 0;
  #bytes = 0;

  get entityCount(): number {
    return this.#entityCount;
  }

  get relationshipCount(): number {
    return this.#relationships.size;
  }

  /** The memory that all take, estimated. */
  get bytes(): number {
    return this.#bytes;
  }

  has({ type, key }: EntityKey): boolean {
    return this.#byType.get(type)?.has(key) === true;
  }

  *entities(type: string): Iterable<EntityInput> {
    for (const [key, text] of this.#byType.get(type) ?? [])
      yield completeEntity(entityOf({ type, key }, text));
  }

  /** All entities as stated, without default class and name. */
  *allEntities(): Iterable<EntityStatement> {
    for (const [type, ofType] of this.#byType)
      for (const [key, text] of ofType) yield entityOf({ type, key }, text);
  }

  *allRelationships(): Iterable<RelationshipInput> {
    for (const [identity, text] of this.#relationships) yield relationshipOf(identity, text);
  }

  /** Returns the bytes that it takes, 0 if it is known. Throws DUPLICATE_KEY for another statement. */
  addEntity({ type, key, ...said }: EntityStatement): number {
    const text = JSON.stringify(said);
    const ofType = this.#byType.get(type) ?? new Map<string, string>();
    const known = ofType.get(key);
    if (known !== undefined) {
      refuseOtherEntity({ type, key }, known, text);
      return 0;
    }
    this.#byType.set(type, ofType.set(key, text));
    this.#entityCount++;
    return this.#take(textBytes(key) + textBytes(text) + ENTRY_BYTES);
  }

  /** Like {@link addEntity}. */
  addRelationship({ from, verb, to, ...rest }: RelationshipInput): number {
    const identity = identityOf({ from, verb, to, key: rest.key });
    const text = JSON.stringify({ verb, ...rest });
    const known = this.#relationships.get(identity);
    if (known !== undefined) {
      refuseOtherRelationship(identity, known, text);
      return 0;
    }
    const shared = this.#shared.get(text);
    if (shared === undefined && this.#shared.size < SHARED_TEXTS_MAX) this.#shared.set(text, text);
    this.#relationships.set(identity, shared ?? text);
    const own = shared === undefined ? textBytes(text) : 0;
    return this.#take(textBytes(identity) + own + ENTRY_BYTES);
  }

  hasRelationship(relationship: RelationshipInput): boolean {
    return this.#relationships.has(identityOf(relationship));
  }

  /** Takes all of the other, which is empty then; on DUPLICATE_KEY, nothing of it. */
  takeAll(other: Collected): void {
    for (const [type, theirs] of other.#byType) {
      const ofType = this.#byType.get(type);
      if (ofType === undefined) continue;
      for (const [key, text] of theirs) {
        const known = ofType.get(key);
        if (known !== undefined) refuseOtherEntity({ type, key }, known, text);
      }
    }
    for (const [identity, text] of other.#relationships) {
      const known = this.#relationships.get(identity);
      if (known !== undefined) refuseOtherRelationship(identity, known, text);
    }
    for (const [type, theirs] of other.#byType) this.#takeType(type, theirs);
    if (this.#relationships.size === 0) this.#relationships = other.#relationships;
    else for (const [identity, text] of other.#relationships) this.#relationships.set(identity, text);
    this.#bytes += other.#bytes;
    other.#clear();
  }

  #takeType(type: string, theirs: Map<string, string>): void {
    const ofType = this.#byType.get(type);
    if (ofType === undefined) {
      this.#byType.set(type, theirs);
      this.#entityCount += theirs.size;
      return;
    }
    this.#entityCount -= ofType.size;
    for (const [key, text] of theirs) ofType.set(key, text);
    this.#entityCount += ofType.size;
  }

  #clear(): void {
    this.#byType.clear();
    this.#relationships = new Map();
    this.#shared.clear();
    this.#entityCount = 0;
    this.#bytes = 0;
  }

  #take(bytes: number): number {
    this.#bytes += bytes;
    return bytes;
  }
}

/** Its parts contain no NUL. */
function identityOf({ from, verb, to, key = '' }: RelationshipKey): string {
  return [from.type, from.key, verb.toUpperCase(), to.type, to.key, key].join('\0');
}

function entityOf({ type, key }: EntityKey, text: string): EntityStatement {
  const said = JSON.parse(text) as Omit<EntityStatement, keyof EntityKey>;
  return { type, key, ...said, properties: bagOf(said.properties) };
}

function relationshipOf(identity: string, text: string): RelationshipInput {
  const [fromType = '', fromKey = '', , toType = '', toKey = ''] = identity.split('\0');
  const said = JSON.parse(text) as Omit<RelationshipInput, 'from' | 'to'>;
  const from = { type: fromType, key: fromKey };
  return { from, to: { type: toType, key: toKey }, ...said, properties: bagOf(said.properties) };
}

/** Names of properties are data, `__proto__` included: JSON keeps that one as its own. */
function bagOf(parsed: Properties): Properties {
  const bag = createProperties();
  for (const [name, value] of Object.entries(parsed)) bag[name] = value;
  return bag;
}

/** Estimated as if a character beyond Latin-1 were rare. */
function textBytes(text: string): number {
  return TEXT_BYTES + text.length;
}

function refuseOtherEntity(entity: EntityKey, known: string, said: string): void {
  if (known === said) return;
  const [one, other] = [known, said].map((text) => canonical(completeEntity(entityOf(entity, text))));
  if (one !== other) throw difference(`${entity.type} ${entity.key}`);
}

function refuseOtherRelationship(identity: string, known: string, said: string): void {
  if (known === said) return;
  const [one, other] = [known, said].map((text) => canonical(relationshipOf(identity, text)));
  if (one !== other) throw difference(identity.replaceAll('\0', ' '));
}

function difference(name: string): DomainError {
  return new DomainError('DUPLICATE_KEY', `${name} was emitted twice, with different content`);
}

/** The order of properties is insignificant. */
function canonical(record: object): string {
  return JSON.stringify(record, (_name, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
