import { type EntityKey, MODEL_LIMITS } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { EntityDraft, StepContext } from '../../run/step.ts';
import { flatProperties } from '../document/flat-properties.ts';
import { AzureTenants } from './azurehound.ts';
import { type DocumentFacts, elementsOf, factsOf, statementOf } from './bloodhound-document.ts';
import { withName } from '../document/named-fault.ts';
import { unknownPart } from '../document/unknown-part.ts';
import type { JsonFile } from './bloodhound-files.ts';
import { labelsOf, typeOfKind } from './bloodhound-kinds.ts';
import { Matchers } from './matchers.ts';
import { ObjectIndex } from './object-index.ts';
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

/**
 * Reads documents in three passes, since edges lead to objects of other documents: the first finds what each
 * document is, the second finds the kinds of all objects, the third emits objects and edges. Nothing else is
 * kept.
 */
export class BloodHoundReader {
  readonly #context: Context;
  readonly #facts = new Map<string, DocumentFacts>();
  readonly #objects = new ObjectIndex();
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

  /** The second pass, after the first one of all files. */
  async readObjects(file: JsonFile): Promise<void> {
    await this.#each(file, ({ objects, edges, ignored = [], warning, lost }, place) => {
      for (const what of ignored) this.#context.ignored(what);
      for (const message of [warning, lost])
        if (message !== undefined) this.#context.warn(`${file.name}, ${place}: ${message}`);
      this.#isWhole &&= lost === undefined;
      for (const object of objects) {
        this.#objects.see(object);
        this.#matchers.see(object);
      }
      for (const { from, to } of edges) for (const end of [from, to]) this.#objects.name(end);
    });
  }

  /** The third pass, after the second one of all files. */
  async emit(file: JsonFile): Promise<void> {
    await this.#each(file, ({ objects, edges, unknown = [] }, place) => {
      for (const object of objects) {
        const whole = this.#objects.take(object);
        if (whole !== undefined) this.#emit(whole);
      }
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

  /** Ends the second pass: objects that only edges name are found by their values as well. */
  seeNamed(): void {
    for (const object of this.#objects.undescribed()) this.#matchers.see(object);
  }

  /** Emits what follows from all documents, and reports what was stated twice. */
  finish(): void {
    for (const object of this.#objects.undescribed()) if (!this.#isMatched(object)) this.#emit(object);
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

  /** Whether it is an object that is described elsewhere, and named by its values here. */
  #isMatched({ match }: Principal): boolean {
    return match !== undefined && 'id' in this.#matchers.find(match);
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
    if ('id' in found) return this.#objects.entityAt(found.id);
    return id === '' ? found.why : this.#objects.entityAt(id);
  }

  #emit(object: StatedObject): void {
    this.#unlessRepeated(() => this.#context.emitEntity(entityOf(object)));
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
