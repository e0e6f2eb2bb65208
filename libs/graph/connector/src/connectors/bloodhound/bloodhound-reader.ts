import { type EntityKey, MODEL_LIMITS } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { EntityDraft, StepContext } from '../../run/step.ts';
import { flatProperties } from '../document/flat-properties.ts';
import { AzureTenants } from './azurehound.ts';
import { type DocumentFacts, elementsOf, factsOf, statementOf } from './bloodhound-document.ts';
import { withName } from '../document/named-fault.ts';
import { unknownPart } from '../document/unknown-part.ts';
import type { JsonFile } from './bloodhound-files.ts';
import { isUnspecific, labelsOf, typeOfKind } from './bloodhound-kinds.ts';
import { Matchers } from './matchers.ts';
import type { Edge, Principal, StatedObject, Statement } from './statement.ts';

/** Fields of entities, which no property may have. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['class', 'display_name']);

type Context = Pick<
  StepContext<unknown>,
  | 'emitEntity'
  | 'emitRelationship'
  | 'external'
  | 'ignored'
  | 'incomplete'
  | 'unread'
  | 'unresolved'
  | 'warn'
  | 'signal'
>;

/** An object that others name, and that no document may describe. */
interface Named {
  kind: string;
  name: string | undefined;
  isDescribed: boolean;
  /** The entity, if it is not the one of the kind and the id. */
  entity?: EntityKey | undefined;
}

/**
 * Reads documents in three passes, since edges lead to objects of other documents: the first finds what each
 * document is, the second emits the objects and finds the kinds of all that edges name, the third emits the
 * edges. Nothing else is kept.
 */
export class BloodHoundReader {
  readonly #context: Context;
  readonly #facts = new Map<string, DocumentFacts>();
  /** By id. */
  readonly #named = new Map<string, Named>();
  readonly #parts = new Map<string, StatedObject>();
  readonly #matchers = new Matchers();
  readonly #tenants = new AzureTenants();
  #repeated = 0;
  #isWhole = true;

  constructor(context: Context) {
    this.#context = context;
  }

  /** The first pass. */
  async describe(file: JsonFile): Promise<void> {
    const facts = await factsOf(file, (of, element) => {
      for (const { from, to } of statementOf(of, element).edges)
        for (const { match } of [from, to]) if (match !== undefined) this.#matchers.want(match);
    });
    this.#facts.set(file.name, facts);
  }

  /** The second pass, after the first one of all files; `emitNamed` ends it. */
  async readObjects(file: JsonFile): Promise<void> {
    await this.#each(file, ({ objects, edges, ignored, warning, lost }, place) => {
      if (ignored !== undefined) this.#context.ignored(ignored);
      for (const message of [warning, lost])
        if (message !== undefined) this.#context.warn(`${file.name}, ${place}: ${message}`);
      this.#isWhole &&= lost === undefined;
      for (const object of objects) this.#add(object);
      for (const { from, to } of edges) for (const end of [from, to]) this.#name(end);
    });
  }

  /** Objects in several parts, and objects that edges lead to and that are described nowhere. */
  emitNamed(): void {
    for (const object of this.#parts.values()) this.#emit(object);
    this.#parts.clear();
    for (const [id, { kind, name, isDescribed }] of this.#named)
      if (!isDescribed) this.#emit({ id, kind, name, properties: {} });
  }

  /** The third pass, after the second one of all files. */
  async readEdges(file: JsonFile): Promise<void> {
    await this.#each(file, ({ edges, unknown = [] }, place) => {
      for (const edge of edges) {
        this.#tenants.see(edge);
        this.#emitEdge(edge);
      }
      for (const { owner: of, end, verb, reason } of unknown) {
        const owner = this.#entityAt(of);
        if (typeof owner === 'string') continue;
        const why = `${file.name}, ${place}: ${verb} was not collected: ${reason.slice(0, 200)}`;
        this.#context.unresolved({ owner, end, verb, reason: why });
      }
    });
  }

  /** Emits what follows from all documents, and reports what was stated twice. */
  finish(): void {
    for (const edge of this.#tenants.edges()) this.#emitEdge(edge);
    if (!this.#isWhole) this.#context.unread(unknownPart('elements, or values in them, are left out'));
    if (this.#repeated > 0)
      this.#context.warn(
        `${this.#repeated} objects or edges are stated again, differently; the first is read`,
      );
  }

  async #each(file: JsonFile, use: (statement: Statement, place: string) => void): Promise<void> {
    const facts = this.#facts.get(file.name);
    if (facts === undefined) return;
    for await (const element of elementsOf(file)) {
      this.#context.signal.throwIfAborted();
      const { place } = element;
      try {
        use(statementOf(facts, element), place);
      } catch (error) {
        throw withName(`${file.name}, ${place}`, error);
      }
    }
  }

  #add(object: StatedObject): void {
    const { id, kind, isPart, entity } = object;
    const known = this.#named.get(id);
    if (isPart === true) {
      const other = this.#parts.get(id);
      this.#parts.set(id, {
        ...other,
        ...object,
        properties: { ...other?.properties, ...object.properties },
      });
    } else this.#emit(object);
    if (known?.isDescribed !== true)
      this.#named.set(id, { kind, name: undefined, isDescribed: true, entity });
  }

  /** The first kind that says something counts. */
  #name({ id, kind, name, match }: Principal): void {
    if (match !== undefined) return;
    const known = this.#named.get(id);
    if (known === undefined) this.#named.set(id, { kind, name, isDescribed: false });
    else if (!known.isDescribed) {
      if (isUnspecific(known.kind)) known.kind = kind;
      known.name ??= name;
    }
  }

  #emitEdge({ from, verb, to, key, properties }: Edge): void {
    const ends = this.#endsOf({ from, verb, to });
    if (ends === undefined) return;
    const draft = { ...ends, verb, key, properties: fitting(flatProperties(properties, OWN_FIELDS)) };
    this.#unlessRepeated(() => this.#context.emitRelationship(draft));
  }

  /** The entities at both ends; undefined, and reported, if one of them is not known. */
  #endsOf({
    from,
    verb,
    to,
  }: Pick<Edge, 'from' | 'verb' | 'to'>): { readonly from: EntityKey; readonly to: EntityKey } | undefined {
    const [start, end] = [this.#entityAt(from), this.#entityAt(to)];
    if (typeof start !== 'string' && typeof end !== 'string') return { from: start, to: end };
    const why = [start, end].filter((each) => typeof each === 'string').join('; ');
    const reason = `an edge ${verb} has no end: ${why}`;
    if (typeof start !== 'string') this.#context.unresolved({ owner: start, end: 'from', verb, reason });
    else if (typeof end !== 'string') this.#context.unresolved({ owner: end, end: 'to', verb, reason });
    else this.#context.incomplete([verb], reason);
    return undefined;
  }

  /** The entity, or why there is none. */
  #entityAt({ id, match }: Principal): EntityKey | string {
    const found = match === undefined ? { id } : this.#matchers.find(match);
    if ('why' in found) return found.why;
    const known = this.#named.get(found.id);
    return known?.entity ?? { type: typeOfKind(known?.kind ?? ''), key: found.id };
  }

  #emit(object: StatedObject): void {
    const draft = entityOf(object);
    this.#matchers.see(object, draft.labels ?? []);
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

function entityOf({ id, kind, name, labels, entity, properties }: StatedObject): EntityDraft {
  const flat = fitting(flatProperties(properties, OWN_FIELDS));
  const shared = { class: kind, labels: labels ?? labelsOf(kind) };
  if (entity !== undefined) {
    const { type, key, displayName } = entity;
    return { ...shared, type, key, display_name: displayName, properties: flat };
  }
  const shown = properties['name'] ?? name;
  return {
    ...shared,
    type: typeOfKind(kind),
    key: id,
    ...(typeof shown === 'string' && shown !== '' && { display_name: shown }),
    properties: { ...(name !== undefined && { name }), ...flat, objectid: id },
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
