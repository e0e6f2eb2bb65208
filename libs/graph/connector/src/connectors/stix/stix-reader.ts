import { type EntityKey, isJsonObject, type JsonObject } from '#graph/model';
import type { EntityDraft, LooseReference, RelationshipDraft } from '../../run/step.ts';
import { flatProperties } from '../document/flat-properties.ts';
import { textOr } from '../document/json-text.ts';
import { KillChain, phaseProperties } from './kill-chain.ts';
import { typeOf, verbOf } from './stix-names.ts';
import { brokenReferencesOf, referencesOf, type StixReference } from './stix-references.ts';

/** An object that is left out, with the types and verbs of which it may have been one. */
export interface SkippedObject {
  readonly types: readonly string[];
  readonly reason: string;
}

export interface StixContent {
  readonly entities: readonly EntityDraft[];
  /** Both ends are among the entities. */
  readonly relationships: readonly RelationshipDraft[];
  /** References to objects of other bundles. */
  readonly external: readonly LooseReference[];
  /** Kill-chain phases that are no tactic of a bundle with tactics. */
  readonly unresolved: readonly LooseReference[];
  /** Objects that cannot be read. */
  readonly skipped: readonly SkippedObject[];
  /** What is not read, by kind. */
  readonly ignored: ReadonlyMap<string, number>;
}

const CLASSES: Readonly<Record<string, string>> = {
  'course-of-action': 'Control',
  identity: 'Organization',
  vulnerability: 'Vulnerability',
  infrastructure: 'Service',
  indicator: 'Finding',
  'x-mitre-asset': 'Device',
};
/** Fields represented by the entity's own fields, and those that no property may have. */
const OWN_FIELDS = ['type', 'id', 'class', 'display_name', 'kill_chain_phases'];
const ENTITY_FIELDS: ReadonlySet<string> = new Set(OWN_FIELDS);
const RELATIONSHIP_FIELDS: ReadonlySet<string> = new Set([
  ...OWN_FIELDS,
  'source_ref',
  'target_ref',
  'relationship_type',
]);
const RELATIONSHIP = 'relationship';
/** The list of everything in an ATT&CK release. Of relationships it says only that they exist. */
const CONTENTS = 'x_mitre_contents.object_ref';
const KEY_LENGTH_MAX = 200;

interface Found {
  readonly key: EntityKey;
  readonly object: JsonObject;
  readonly references: readonly StixReference[];
  /** Objects by the names under which the references know them, before those of the bundle. */
  readonly local: ReadonlyMap<string, EntityKey>;
}

/** Turns the objects of a bundle, by id, into entities and relationships. */
export class StixReader {
  readonly #objects: ReadonlyMap<string, JsonObject>;
  readonly #killChain: KillChain;
  readonly #keys = new Map<string, EntityKey>();
  readonly #entities: EntityDraft[] = [];
  readonly #relationships: RelationshipDraft[] = [];
  readonly #external: LooseReference[] = [];
  readonly #unresolved: LooseReference[] = [];
  readonly #skipped: SkippedObject[] = [];
  readonly #ignored = new Map<string, number>();

  constructor(objects: ReadonlyMap<string, JsonObject>) {
    this.#objects = objects;
    this.#killChain = new KillChain(objects.values());
  }

  read(): StixContent {
    const found = [...this.#objects].flatMap(([id, object]) =>
      object['type'] === RELATIONSHIP ? [] : this.#findAll(id, object),
    );
    // Relationships that other objects are about: opinions, notes, sightings, reports.
    for (const { references } of found) {
      for (const { target, path } of references) if (path !== CONTENTS) this.#nameRelationship(target, found);
    }
    for (const each of found) this.#addEntity(each);
    for (const object of this.#objects.values()) {
      if (object['type'] === RELATIONSHIP) this.#addRelationship(object);
    }
    return {
      entities: this.#entities,
      relationships: this.#relationships,
      external: this.#external,
      unresolved: this.#unresolved,
      skipped: this.#skipped,
      ignored: this.#ignored,
    };
  }

  /** The object, and the observables within observed data of STIX 2.0. */
  #findAll(id: string, object: JsonObject): readonly Found[] {
    const own = this.#find(id, object, new Map());
    const { type, objects } = object;
    if (type !== 'observed-data' || typeof objects !== 'object' || objects === null) return [own];
    const parts = Object.entries(objects as JsonObject).flatMap(([name, part]) => {
      const isObject = typeof part === 'object' && part !== null;
      const partType = isObject ? textOr(part as JsonObject, 'type') : undefined;
      if (partType === undefined) this.#ignore('observable without a type');
      return partType === undefined ? [] : [{ name, part: part as JsonObject, partType }];
    });
    const local = new Map(
      parts.map(({ name, partType }) => [name, { type: typeOf(partType), key: `${id}/${name}` }] as const),
    );
    const contents = [...local.keys()].map((name) => objectReference(name));
    return [
      {
        ...own,
        references: [...own.references.filter(({ path }) => !path.startsWith('objects.')), ...contents],
        local,
      },
      ...parts.map(({ name, part }) => this.#find(`${id}/${name}`, part, local)),
    ];
  }

  #find(id: string, object: JsonObject, local: Found['local']): Found {
    const key = { type: typeOf(String(object['type'])), key: id };
    this.#keys.set(id, key);
    return { key, object, local, references: referencesOf(object, ENTITY_FIELDS) };
  }

  /** A relationship that is the object of a statement is an entity as well, between its two ends. */
  #nameRelationship(id: string, found: Found[]): void {
    const object = this.#objects.get(id);
    if (object?.['type'] === RELATIONSHIP && !this.#keys.has(id))
      found.push(this.#find(id, object, new Map()));
  }

  #addEntity(found: Found): void {
    const { key, object } = found;
    const observables = found.local.size > 0 && key.key === object['id'] ? ['objects'] : [];
    this.#entities.push({
      ...key,
      class: CLASSES[String(object['type'])],
      display_name: textOr(object, 'name'),
      properties: {
        ...flatProperties(object, new Set([...ENTITY_FIELDS, ...observables])),
        external_id: externalId(object),
        ...phaseProperties(object),
      },
    });
    this.#addTactics(key, object);
    for (const reference of found.references) this.#refer(found, reference);
    for (const { path, verb } of brokenReferencesOf(object)) {
      const reason = `${key.key}: ${path}: expected an id, or a list of them`;
      this.#unresolved.push({ owner: key, end: 'from', verb, reason });
    }
  }

  #addTactics(from: EntityKey, object: JsonObject): void {
    const { ids, lost } = this.#killChain.tacticsOf(object);
    const verb = 'HAS_TACTIC';
    for (const { chain, phase } of lost) {
      const reason = `${from.key}: no tactic is the phase ${phase} of ${chain}`;
      this.#unresolved.push({ owner: from, end: 'from', verb, reason });
    }
    for (const id of ids) {
      const to = this.#keys.get(id);
      if (to !== undefined) this.#relationships.push({ from, verb, to, properties: {} });
    }
  }

  #refer({ key: from, local }: Found, { verb, target, path, isNested, selectors }: StixReference): void {
    const to = local.get(target) ?? this.#keys.get(target);
    if (to !== undefined) {
      const properties = { reference: path, ...(selectors.length > 0 && { selectors }) };
      this.#relationships.push({
        from,
        verb,
        to,
        ...(isNested && { key: path.slice(-KEY_LENGTH_MAX) }),
        properties,
      });
    } else if (!this.#objects.has(target)) {
      const reason = `${from.key}: ${path} names ${target}, which is not in the bundle`;
      this.#external.push({ owner: from, end: 'from', verb, reason });
    }
  }

  #addRelationship(object: JsonObject): void {
    const key = String(object['id']);
    const type = textOr(object, 'relationship_type');
    const ends = [textOr(object, 'source_ref'), textOr(object, 'target_ref')];
    if (type === undefined || ends.includes(undefined)) {
      const missing = type === undefined ? 'relationship_type' : 'source_ref or target_ref';
      const types = type === undefined ? [] : [verbOf(type)];
      this.#skipped.push({ types, reason: `${key}: a relationship without ${missing}; it is left out` });
      return;
    }
    const verb = verbOf(type);
    const [from, to] = ends.map((id) => this.#keys.get(id ?? ''));
    if (from !== undefined && to !== undefined) {
      this.#relationships.push({
        from,
        verb,
        to,
        key,
        properties: flatProperties(object, RELATIONSHIP_FIELDS),
      });
      return;
    }
    const reason = `${key}: an end of it is not in the bundle`;
    const owner = from ?? to ?? { type: RELATIONSHIP, key };
    this.#external.push({ owner, end: from === undefined && to !== undefined ? 'to' : 'from', verb, reason });
  }

  #ignore(kind: string): void {
    this.#ignored.set(kind, (this.#ignored.get(kind) ?? 0) + 1);
  }
}

/** How STIX 2.1 refers to the observables of observed data. */
function objectReference(target: string): StixReference {
  return { path: 'object_refs', verb: 'HAS_OBJECT', target, isNested: false, selectors: [] };
}

/** The first external id of the object: `T0800`, `CVE-2024-1`. */
function externalId(object: JsonObject): string | undefined {
  const references = object['external_references'];
  if (!Array.isArray(references)) return undefined;
  const ids = references.map((each: unknown) =>
    isJsonObject(each) ? textOr(each, 'external_id') : undefined,
  );
  return ids.find((id) => id !== undefined);
}
