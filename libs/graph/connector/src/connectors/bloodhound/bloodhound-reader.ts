import { FieldPath, isJsonObject, type JsonObject, jsonObject, kindOf, MODEL_LIMITS } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { EntityDraft, RelationshipDraft, StepContext } from '../../run/step.ts';
import { parseJson } from '../document/json-text.ts';
import { flatProperties } from '../document/flat-properties.ts';
import { type JsonFile, withName } from './bloodhound-files.ts';
import { BASE, KINDS_BY_FILE, knownKind, typeOfKind } from './bloodhound-kinds.ts';
import { type Edge, edgesOf, type Principal, principalOf, sessionEdges } from './sharphound-edges.ts';

const VERSIONS: readonly unknown[] = [5, 6];
const SESSIONS = 'sessions';
/** Fields of entities, which no property may have. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['class', 'display_name']);

/** What a file says about itself. */
interface FileFacts {
  /** The type of SharpHound, or OpenGraph. */
  readonly type: string;
}

type Context = Pick<StepContext<unknown>, 'emitEntity' | 'emitRelationship' | 'ignored' | 'warn' | 'signal'>;

/** An object that others name, and that no file may describe. */
interface Named {
  kind: string;
  name: string | undefined;
  isDescribed: boolean;
}

/**
 * Reads documents in two passes, since edges lead to objects of other documents: the first emits the objects
 * and finds the kinds of all that edges name, the second emits the edges. Nothing else is kept.
 */
export class BloodHoundReader {
  readonly #context: Context;
  readonly #facts = new Map<string, FileFacts>();
  /** By id. */
  readonly #named = new Map<string, Named>();
  #repeated = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  /** The first pass. */
  async readObjects(file: JsonFile): Promise<void> {
    const facts = await factsOf(file);
    this.#facts.set(file.name, facts);
    await this.#each(file, (item, place) => {
      if (item['IsDeleted'] === true) this.#context.ignored('deleted objects');
      else this.#addObject(item, place, facts);
      for (const edge of edgesIn(item, facts)) this.#name(edge);
    });
  }

  /** Objects that edges lead to, and that are described nowhere. */
  emitNamed(): void {
    for (const [id, { kind, name, isDescribed }] of this.#named)
      if (!isDescribed) this.#emitEntity(entityOf({ id, kind, name }, {}));
  }

  /** The second pass, after that of all files. */
  async readEdges(file: JsonFile): Promise<void> {
    const facts = this.#facts.get(file.name);
    if (facts === undefined) return;
    await this.#each(file, (item) => {
      for (const edge of edgesIn(item, facts)) this.#emitEdge(edge);
    });
  }

  /** Reports what was stated twice. */
  finish(): void {
    if (this.#repeated > 0)
      this.#context.warn(
        `${this.#repeated} objects or edges are stated again, differently; the first is read`,
      );
  }

  async #each(file: JsonFile, use: (item: JsonObject, place: string) => void): Promise<void> {
    for await (const { path, index, text } of file.parts()) {
      if (index === undefined || path !== 'data') continue;
      this.#context.signal.throwIfAborted();
      const place = `${path}[${index}]`;
      const value = parsed(file.name, place, text);
      if (isJsonObject(value)) use(value, place);
      else this.#context.warn(`${file.name}, ${place}: expected an object, got ${kindOf(value)}`);
    }
  }

  #addObject(item: JsonObject, place: string, { type }: FileFacts): void {
    const kind = KINDS_BY_FILE.get(type);
    const own = kind === undefined ? undefined : ownOf(item, kind);
    if (own === undefined) {
      if (type !== SESSIONS)
        this.#context.warn(`${type}, ${place}: it has no ObjectIdentifier and is left out`);
      return;
    }
    const properties = isJsonObject(item['Properties']) ? item['Properties'] : {};
    this.#emitEntity(entityOf(own, properties));
    const known = this.#named.get(own.id);
    this.#named.set(own.id, {
      kind: known?.isDescribed === true ? known.kind : own.kind,
      name: undefined,
      isDescribed: true,
    });
  }

  /** The first kind that is known counts. */
  #name({ from, to }: Edge): void {
    for (const { id, kind, name } of [from, to]) {
      const known = this.#named.get(id);
      if (known === undefined) this.#named.set(id, { kind: knownKind(kind), name, isDescribed: false });
      else if (!known.isDescribed) {
        if (known.kind === BASE) known.kind = knownKind(kind);
        known.name ??= name;
      }
    }
  }

  #emitEdge({ from, verb, to, properties }: Edge): void {
    const end = ({ id }: Principal): { readonly type: string; readonly key: string } => ({
      type: typeOfKind(this.#named.get(id)?.kind ?? BASE),
      key: id,
    });
    const draft: RelationshipDraft = {
      from: end(from),
      verb,
      to: end(to),
      properties: flatProperties(properties, OWN_FIELDS),
    };
    this.#unlessRepeated(() => this.#context.emitRelationship(draft));
  }

  #emitEntity(draft: EntityDraft): void {
    this.#unlessRepeated(() => this.#context.emitEntity(draft));
  }

  #unlessRepeated(emit: () => void): void {
    try {
      emit();
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'DUPLICATE_KEY') throw error;
      this.#repeated++;
    }
  }
}

function* edgesIn(item: JsonObject, { type }: FileFacts): Generator<Edge> {
  if (type === SESSIONS) yield* sessionEdges(item);
  const kind = KINDS_BY_FILE.get(type);
  const own = kind === undefined ? undefined : ownOf(item, kind);
  if (own !== undefined && item['IsDeleted'] !== true) yield* edgesOf(own, item);
}

/**
 * Reads the description of a file, which may be after its data. Throws INVALID_REQUEST for another document.
 */
async function factsOf(file: JsonFile): Promise<FileFacts> {
  let meta: JsonObject | undefined;
  let count = 0;
  for await (const { path, index, text } of file.parts()) {
    if (path === 'data' && index !== undefined) count++;
    if (path === 'meta') meta = jsonObject(parsed(file.name, path, text), new FieldPath(), 'meta');
  }
  try {
    return checkedFacts(meta, count);
  } catch (error) {
    throw withName(file.name, error);
  }
}

function checkedFacts(meta: JsonObject | undefined, count: number): FileFacts {
  const refusal = (message: string): DomainError => new DomainError('INVALID_REQUEST', message);
  if (meta === undefined) throw refusal('expected a file of SharpHound, got a document without "meta"');
  const { type, version, count: stated } = meta;
  if (typeof type !== 'string' || (type !== SESSIONS && !KINDS_BY_FILE.has(type)))
    throw refusal(`meta.type: expected a type of SharpHound, got ${String(type).slice(0, 40)}`);
  if (!VERSIONS.includes(version))
    throw refusal(`meta.version: expected 5 or 6, got ${String(version).slice(0, 40)}`);
  if (typeof stated === 'number' && stated > count)
    throw refusal(`meta.count: expected ${stated} objects, got ${count}: the file is cut`);
  return { type };
}

function parsed(name: string, place: string, text: string): unknown {
  try {
    return parseJson(text, `JSON in ${place}`);
  } catch (error) {
    throw withName(name, error);
  }
}

function ownOf({ ObjectIdentifier: id }: JsonObject, kind: string): Principal | undefined {
  return typeof id === 'string' && id !== '' ? principalOf(id, kind) : undefined;
}

function entityOf({ id, kind, name }: Principal, properties: JsonObject): EntityDraft {
  const stated = properties['name'] ?? name;
  return {
    type: typeOfKind(kind),
    key: id,
    class: kind,
    labels: kind === BASE ? [] : [BASE],
    ...(typeof stated === 'string' && stated !== '' && { display_name: stated }),
    properties: fitting({ ...flatProperties({ name, ...properties }, OWN_FIELDS), objectid: id }),
  };
}

/** A value that is longer than a property can be is cut. */
function fitting(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const cut = (value: unknown): unknown =>
    typeof value === 'string' ? value.slice(0, MODEL_LIMITS.propertyStringLengthMax).toWellFormed() : value;
  const entries = Object.entries(properties).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.slice(0, MODEL_LIMITS.listItemsMax).map(cut) : cut(value),
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}
