import {
  type EntityInput,
  type EntityKey,
  FieldPath,
  kindOf,
  parseEntity,
  parseEntityKey,
  parseName,
  parseRelationship,
} from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { GraphEntities } from './graph-entities.port.ts';
import { Collected } from './collected.ts';
import type { CollectionProgress } from './collection-progress.ts';
import { Omissions } from './omissions.ts';
import type { RunClock } from './run-clock.ts';
import { StepIncrement } from './step-increment.ts';
import { OpenWork } from './open-work.ts';
import { referenceBytes } from './record-budget.ts';
import {
  ANY_TYPE,
  type EmittedDrafts,
  type EntityDraft,
  type LooseReference,
  type RelationshipDraft,
  type Step,
  type StepContext,
  type StepLog,
  type StepProgress,
  type UnreadPart,
} from './step.ts';

const TURN_MS = 5;
/** Maximum for one step: external references are normal, and must not displace warnings. */
const EXTERNAL_REASONS_MAX = 10;
const KIND_CHARACTERS_MAX = 100;
/** A module may not be compiled from TypeScript. */
const ENDS: ReadonlySet<string> = new Set(['from', 'to']);

/** Time slices of a step, so that a long loop does not block the event loop. */
class Turn {
  #endMs = performance.now() + TURN_MS;

  get isOver(): boolean {
    return performance.now() >= this.#endMs;
  }

  /** Yields to the event loop, then starts a new slice. Throws if the signal was aborted meanwhile. */
  async pass(signal: AbortSignal): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    this.#endMs = performance.now() + TURN_MS;
  }
}

/** Converts bigints exactly: to numbers, or to text beyond the exact range. */
const LARGE_INTEGERS = { largeIntegers: 'string' } as const;

export interface AttemptParts {
  readonly connectorId: string;
  readonly step: Step;
  readonly config: unknown;
  readonly graph: GraphEntities;
  readonly signal: AbortSignal;
  readonly log: StepLog;
  /** The emits of earlier waves. */
  readonly progress: CollectionProgress;
  /** Of the last complete run. */
  readonly cursor: string | undefined;
  readonly clock: RunClock;
  /** Called for emits after the end: the step forgot to await its work. */
  readonly onLate: (error: DomainError) => void;
}

/** One attempt of a step: its emits count only if it succeeds. */
export class StepAttempt implements StepContext<unknown> {
  readonly emitted = new Collected();
  /** Types and verbs that are incomplete. */
  readonly incompleteTypes = new Set<string>();
  readonly omissions = new Omissions();
  readonly config: unknown;
  readonly connectorId: string;
  readonly graph: GraphEntities;
  readonly signal: AbortSignal;
  readonly log: StepLog;
  /** What the step has begun. */
  readonly open = new OpenWork();
  readonly increment: StepIncrement;
  /** How far it has come. */
  reached: StepProgress | undefined;
  /** Something happened after its end: emits may be missing. */
  isUnfinished = false;
  readonly #parts: AttemptParts;
  readonly #path: FieldPath;
  #hasEnded = false;
  /** Size of the emitted records, which counts against the budget of the run. */
  #bytes = 0;

  constructor(parts: AttemptParts) {
    this.config = parts.config;
    this.connectorId = parts.connectorId;
    this.graph = parts.graph;
    this.signal = parts.signal;
    this.log = parts.log;
    this.#parts = parts;
    this.increment = new StepIncrement(parts.step, parts.cursor);
    this.#path = new FieldPath(`connector ${parts.connectorId}, step ${parts.step.id}`);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** The emits of a failed attempt are dropped. */
  drop(): void {
    this.#parts.progress.budget.give(this.#bytes);
    this.#bytes = 0;
  }

  emitEntity(draft: EntityDraft): void {
    this.#requireEmits();
    const { properties, ...rest } = this.#object(draft, 'emitEntity: expected {type, key, …}');
    const given = { ...rest, properties: withoutUndefined(properties) };
    const entity = parseEntity(given, this.#path, LARGE_INTEGERS);
    this.#requireDeclared(this.#parts.step.emits?.entities, entity.type);
    if (this.#parts.progress.collected.has(entity)) throw this.#emittedEarlier(entity);
    this.#hold(this.emitted.addEntity(entity));
    this.#parts.progress.changed();
  }

  emitRelationship(draft: RelationshipDraft): void {
    this.#requireEmits();
    const expected = 'emitRelationship: expected {from, verb, to, …}';
    const { from, to, properties, ...rest } = this.#object(draft, expected);
    const given = { ...rest, from: keyOf(from), to: keyOf(to), properties: withoutUndefined(properties) };
    const relationship = parseRelationship(given, this.#path, LARGE_INTEGERS);
    this.#requireDeclared(this.#parts.step.emits?.relationships, relationship.verb);
    this.#hold(this.emitted.addRelationship(relationship));
    this.#parts.progress.changed();
  }

  async emitAll(drafts: EmittedDrafts): Promise<void> {
    const expected = 'emitAll: expected {entities, relationships}, each iterable';
    const { entities, relationships } = this.#object(drafts, expected);
    const turn = new Turn();
    for (const draft of this.#iterable(entities, `${expected}, in entities`)) {
      this.emitEntity(draft);
      if (turn.isOver) await turn.pass(this.signal);
    }
    for (const draft of this.#iterable(relationships, `${expected}, in relationships`)) {
      this.emitRelationship(draft);
      if (turn.isOver) await turn.pass(this.signal);
    }
  }

  has(type: string, key: string): boolean {
    return this.emitted.has({ type, key }) || this.#parts.progress.collected.has({ type, key });
  }

  entities(type: string): Iterable<EntityInput> {
    return this.#parts.progress.collected.entities(type);
  }

  unresolved(reference: LooseReference): void {
    this.#requireEmits();
    const { verb, end, owner, reason } = this.#parsed(reference, 'unresolved');
    if (this.omissions.addUnresolved({ verb, end, ...owner })) this.#hold(referenceBytes(owner));
    this.warn(reason);
    this.#parts.progress.changed();
  }

  external(reference: LooseReference): void {
    this.#requireRunning();
    const { reason } = this.#parsed(reference, 'external');
    if (this.omissions.addExternal() <= EXTERNAL_REASONS_MAX) this.warn(reason);
  }

  unread(part: UnreadPart): void {
    this.#requireEmits();
    const expected = 'unread: expected {types, keyPrefix, reason}';
    const { types, keyPrefix, reason } = this.#object(part, expected);
    for (const type of this.#iterable(types, `${expected}, in types`)) {
      const isAny = type === ANY_TYPE && keyPrefix === '';
      const entity = isAny
        ? { type, key: keyPrefix }
        : parseEntityKey({ type, key: keyPrefix }, this.#path, 'unread');
      this.omissions.addUnread({ type: entity.type, keyPrefix: entity.key });
      this.#hold(referenceBytes(entity));
    }
    this.warn(reason);
    this.#parts.progress.changed();
  }

  ignored(kind: string, count = 1): void {
    this.#requireRunning();
    this.omissions.addIgnored(this.#parts.progress.redacted(kind).slice(0, KIND_CHARACTERS_MAX), count);
  }

  incomplete(types: readonly string[], reason: string): void {
    this.#requireRunning();
    const { entities = [], relationships = [] } = this.#parts.step.emits ?? {};
    const expected = 'incomplete: expected a list of types and verbs, and a reason';
    for (const type of this.#iterable(types, expected)) {
      this.#requireDeclared([...entities, ...relationships], type);
      this.incompleteTypes.add(type);
    }
    this.warn(reason);
  }

  get cursor(): string | undefined {
    return this.#parts.cursor;
  }

  keepCursor(cursor: string): void {
    this.#requireRunning();
    this.increment.keepCursor(cursor);
  }

  removed(entity: EntityKey): void {
    this.#requireEmits();
    const key = parseEntityKey(keyOf(entity), this.#path, 'removed');
    this.#requireDeclared(this.#parts.step.emits?.entities, key.type);
    if (this.increment.remove(key)) this.#hold(referenceBytes(key));
  }

  startOver(): void {
    this.#requireRunning();
    this.increment.startOver();
  }

  progress(progress: StepProgress): void {
    this.#requireRunning();
    const { done, total } = this.#object(progress, 'progress: expected {done, total}');
    const counts = [done, ...(total === undefined ? [] : [total])];
    if (!counts.every((count) => Number.isFinite(count) && count >= 0))
      throw this.#path.fault('', `progress: expected counts from 0, got ${counts.map(String).join(' of ')}`);
    this.reached = { done, total };
    this.#parts.progress.changed();
  }

  async sleep(ms: number): Promise<void> {
    await this.#parts.clock.sleep(ms, this.signal);
    this.signal.throwIfAborted();
  }

  warn(message: string): void {
    this.#parts.progress.warn(this.#parts.step.id, message);
  }

  #parsed(reference: LooseReference, call: string): LooseReference {
    const expected = `${call}: expected {owner, end, verb, reason}`;
    const { owner, end, verb, reason } = this.#object(reference, expected);
    if (!ENDS.has(end)) throw this.#path.fault('end', 'expected from or to');
    const name = parseName(verb, this.#path, 'verb');
    this.#requireDeclared(this.#parts.step.emits?.relationships, name);
    return { owner: parseEntityKey(keyOf(owner), this.#path, 'owner'), end, verb: name, reason };
  }

  /** Modules are not type-checked: they may pass anything. */
  #object<T extends object>(value: T, expected: string): T {
    if (isObject(value) && !Array.isArray(value)) return value;
    throw this.#path.fault('', `${expected}, got ${kindOf(value)}`);
  }

  #iterable<T>(value: Iterable<T> | undefined, expected: string): Iterable<T> {
    if (value === undefined) return [];
    if (isObject(value) && Symbol.iterator in value) return value;
    throw this.#path.fault('', `${expected}, got ${kindOf(value)}`);
  }

  #hold(bytes: number): void {
    this.#bytes += bytes;
    this.#parts.progress.budget.take(bytes);
  }

  /** A step may ignore the errors of its emits. */
  #requireEmits(): void {
    this.#requireRunning();
    this.#parts.progress.budget.requireRoom();
  }

  #requireRunning(): void {
    if (!this.#hasEnded) return;
    const message = `step ${this.#parts.step.id} has ended: it may not emit any more`;
    const error = new DomainError('CONFLICT', message);
    this.#parts.onLate(error);
    throw error;
  }

  #requireDeclared(declared: readonly string[] = [], name: string): void {
    if (declared.includes(name) || declared.includes(ANY_TYPE)) return;
    throw new DomainError('CONFLICT', `step ${this.#parts.step.id} emits ${name} without declaring it`);
  }

  #emittedEarlier({ type, key }: EntityKey): DomainError {
    return new DomainError('DUPLICATE_KEY', `${type} ${key} was emitted by an earlier step`);
  }
}

/** An end may be the whole entity. Anything but an object is left to the check of the statement. */
function keyOf(end: EntityKey): EntityKey {
  return isObject(end) ? { type: end.type, key: end.key } : end;
}

/** Anything but an object is left to the check of the statement. */
function withoutUndefined(properties: EntityDraft['properties']): EntityDraft['properties'] {
  if (!isObject(properties) || Array.isArray(properties)) return properties;
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
