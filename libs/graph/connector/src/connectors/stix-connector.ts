import { FieldPath, isAbsent, type JsonObject } from '#graph/model';
import type { Disk } from '#platform/disk';
import { fileField } from '../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../config/connector-type.ts';
import { ANY_TYPE, type EntityDraft, type LostRelationship, type RelationshipDraft } from '../run/step.ts';
import { objectsIn, parseJsonObject, readJsonText, textIn, textOr } from './json-text.ts';

/**
 * STIX 2.1 bundles: each object is an entity by its STIX id, type `attack_pattern` for `attack-pattern`;
 * relationship objects are relationships (`attributed-to` is ATTRIBUTED_TO), keyed by their id; references
 * within objects (`created_by_ref`) are relationships as well.
 */
export function stixConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'stix',
    about: 'a STIX 2.1 bundle, MITRE ATT&CK for example',
    config: { file: fileField({ about: 'path of the bundle, relative to this file' }) },
    steps: () => [
      {
        id: 'bundle',
        description: 'objects and relationships of the bundle',
        emits: { entities: [ANY_TYPE], relationships: [ANY_TYPE] },
        async run(context) {
          const bundle = readStixBundle(await readJsonText(disk, context.config.file));
          await context.emitAll(bundle);
          for (const { verb, reason } of bundle.lost) context.incomplete([verb], reason);
        },
      },
    ],
  });
}

export interface StixContent {
  readonly entities: readonly EntityDraft[];
  /** Both ends are among the entities. */
  readonly relationships: readonly RelationshipDraft[];
  /** Relationships whose ends are missing from the bundle. */
  readonly lost: readonly LostRelationship[];
}

const CLASSES: Readonly<Record<string, string>> = {
  'course-of-action': 'Control',
  identity: 'Organization',
  vulnerability: 'Vulnerability',
  infrastructure: 'Service',
  indicator: 'Finding',
  'x-mitre-asset': 'Device',
};
const VERBS: Readonly<Record<string, string>> = {
  created_by_ref: 'CREATED_BY',
  object_marking_refs: 'MARKED_BY',
  x_mitre_modified_by_ref: 'MODIFIED_BY',
};
/** Fields represented by the entity's own fields or by a relationship's ends. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'class',
  'display_name',
  'source_ref',
  'target_ref',
  'relationship_type',
  'kill_chain_phases',
]);
const TACTIC = 'x-mitre-tactic';

/**
 * Reads a bundle; throws INVALID_REQUEST naming the field. Of several versions, the last modified is used.
 */
export function readStixBundle(text: string): StixContent {
  const bundle = parseJsonObject(text, 'a STIX bundle');
  const path = new FieldPath('');
  if (bundle['type'] !== 'bundle') throw path.fault('type', 'expected "bundle"');
  const objects = latestById(objectsIn(bundle, 'objects', path));
  const types = new Map<string, string>();
  for (const [id, object] of objects) {
    if (object['type'] !== 'relationship') types.set(id, typeOf(textIn(object, 'type', path)));
  }
  return new StixReader(types, tacticsOf(objects.values())).read(objects.values());
}

class StixReader {
  readonly #types: ReadonlyMap<string, string>;
  readonly #entities: EntityDraft[] = [];
  readonly #relationships: RelationshipDraft[] = [];
  readonly #lost: LostRelationship[] = [];
  readonly #tactics: readonly Tactic[];

  constructor(types: ReadonlyMap<string, string>, tactics: readonly Tactic[]) {
    this.#types = types;
    this.#tactics = tactics;
  }

  read(objects: Iterable<JsonObject>): StixContent {
    for (const object of objects) {
      if (object['type'] === 'relationship') this.#addRelationship(object);
      else this.#addEntity(object);
    }
    return { entities: this.#entities, relationships: this.#relationships, lost: this.#lost };
  }

  #addEntity(object: JsonObject): void {
    const path = new FieldPath(`object ${String(object['id'])}`);
    const type = textIn(object, 'type', path);
    const key = textIn(object, 'id', path);
    this.#entities.push({
      type: typeOf(type),
      key,
      class: CLASSES[type],
      display_name: textOr(object, 'name'),
      properties: {
        ...flatProperties(object),
        external_id: externalId(object),
        ...phaseProperties(phasesOf(object)),
      },
    });
    this.#addTactics(object);
    for (const [field, verb, target] of referencesOf(object)) this.#refer(object, field, verb, target);
  }

  /** A kill-chain phase maps to the tactic with that short name, if the bundle has tactics. */
  #addTactics(object: JsonObject): void {
    const from = this.#end(object['id']);
    if (from === undefined || this.#tactics.length === 0) return;
    for (const { chain, phase } of phasesOf(object)) {
      const named = this.#tactics.filter(({ shortName }) => shortName === phase);
      const ofChain = named.filter(({ chains }) => chains.includes(chain));
      const found = ofChain.length > 0 ? ofChain : named.length === 1 ? named : [];
      if (found.length === 0) {
        const reason = `${from.key}: no tactic is the phase ${phase} of ${chain}`;
        this.#lost.push({ verb: 'HAS_TACTIC', reason });
      }
      for (const { id } of found) {
        const to = this.#end(id);
        if (to !== undefined) this.#relationships.push({ from, verb: 'HAS_TACTIC', to, properties: {} });
      }
    }
  }

  #refer(object: JsonObject, field: string, verb: string, target: string): void {
    const from = this.#end(object['id']);
    const to = this.#end(target);
    if (from !== undefined && to !== undefined) {
      this.#relationships.push({ from, verb, to, properties: { reference: field } });
    }
  }

  #addRelationship(object: JsonObject): void {
    const path = new FieldPath(`object ${String(object['id'])}`);
    const verb = verbOf(textIn(object, 'relationship_type', path));
    const from = this.#end(object['source_ref']);
    const to = this.#end(object['target_ref']);
    const key = textIn(object, 'id', path);
    if (from === undefined || to === undefined)
      this.#lost.push({ verb, reason: `${key}: an end is not in the bundle` });
    else this.#relationships.push({ from, verb, to, key, properties: flatProperties(object) });
  }

  #end(id: unknown): RelationshipDraft['from'] | undefined {
    const type = typeof id === 'string' ? this.#types.get(id) : undefined;
    return type === undefined ? undefined : { type, key: String(id) };
  }
}

interface Phase {
  readonly chain: string;
  readonly phase: string;
}

interface Tactic {
  readonly id: string;
  readonly shortName: string;
  /** Kill chains of its domains: ATT&CK's `ics-attack` is the chain `mitre-ics-attack`. */
  readonly chains: readonly string[];
}

function tacticsOf(objects: Iterable<JsonObject>): readonly Tactic[] {
  return [...objects].flatMap((object) => {
    const { type, id, x_mitre_domains: domains } = object;
    const shortName = textOr(object, 'x_mitre_shortname');
    if (type !== TACTIC || typeof id !== 'string' || shortName === undefined) return [];
    const names: readonly unknown[] = Array.isArray(domains) ? domains : [];
    const chains = names.map((name) =>
      name === 'enterprise-attack' ? 'mitre-attack' : `mitre-${String(name)}`,
    );
    return [{ id, shortName, chains }];
  });
}

function phasesOf(object: JsonObject): readonly Phase[] {
  const path = new FieldPath(`object ${String(object['id'])}`);
  return objectsIn(object, 'kill_chain_phases', path).map((phase) => ({
    chain: textIn(phase, 'kill_chain_name', path),
    phase: textIn(phase, 'phase_name', path),
  }));
}

function phaseProperties(phases: readonly Phase[]): Readonly<Record<string, unknown>> {
  if (phases.length === 0) return {};
  return {
    kill_chain_phases: [...new Set(phases.map(({ phase }) => phase))],
    kill_chains: [...new Set(phases.map(({ chain }) => chain))],
  };
}

/** A bundle may hold several versions of an object. */
function latestById(objects: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const byId = new Map<string, JsonObject>();
  for (const [index, object] of objects.entries()) {
    const id = textIn(object, 'id', new FieldPath(`objects[${index}]`));
    const known = byId.get(id);
    const isOlder = known !== undefined && String(object['modified']) < String(known['modified']);
    if (!isOlder) byId.set(id, object);
  }
  return byId;
}

function* referencesOf(object: JsonObject): Iterable<readonly [field: string, verb: string, target: string]> {
  for (const [field, value] of Object.entries(object)) {
    if (OWN_FIELDS.has(field) || !/_refs?$/.test(field)) continue;
    const verb = VERBS[field] ?? `HAS_${verbOf(field.replace(/^x_(mitre_)?|_refs?$/g, ''))}`;
    const targets: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const target of new Set(targets)) if (typeof target === 'string') yield [field, verb, target];
  }
}

function typeOf(stixType: string): string {
  return stixType.replaceAll('-', '_');
}

function verbOf(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

/**
 * Keeps scalars and lists of texts; nested values are kept as JSON text, so that their changes are visible.
 */
function flatProperties(object: JsonObject): Record<string, unknown> {
  const fields = Object.entries(object).filter(([name, value]) => !OWN_FIELDS.has(name) && !isAbsent(value));
  return Object.fromEntries(fields.map(([name, value]) => [name.replace(/^_+/, ''), flat(value)]));
}

function flat(value: unknown): unknown {
  if (typeof value !== 'object') return value;
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isTexts ? value : exactText(value);
}

/** Contains integers beyond the exact range as text. */
function exactText(value: unknown): string {
  return JSON.stringify(value, (_name, item: unknown) => (typeof item === 'bigint' ? String(item) : item));
}

/** The first external id of the object: `T0800`, `CVE-2024-1`. */
function externalId(object: JsonObject): string | undefined {
  const references = objectsIn(object, 'external_references', new FieldPath(String(object['id'])));
  return references.map((reference) => textOr(reference, 'external_id')).find((id) => id !== undefined);
}
