import {
  type EntityInput,
  type EntityKey,
  FieldPath,
  parseEntity,
  parseEntityKey,
  parseName,
  parseRelationship,
} from '#graph/model';
import { DomainError } from '#platform/foundation';
import { Collected } from './collected.ts';
import type { CollectionProgress } from './collection-progress.ts';
import { Omissions } from './omissions.ts';
import { entityBytes, referenceBytes, relationshipBytes } from './record-budget.ts';
import {
  ANY_TYPE,
  type EmittedDrafts,
  type EntityDraft,
  type LooseReference,
  type RelationshipDraft,
  type Step,
  type StepContext,
  type StepLog,
} from './step.ts';

const TURN_MS = 5;
/** Of one step: external references are normal, and may not displace warnings. */
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
  readonly step: Step;
  readonly config: unknown;
  readonly signal: AbortSignal;
  readonly log: StepLog;
  /** The emits of earlier waves. */
  readonly progress: CollectionProgress;
}

/** One attempt of a step: its emits count only if it succeeds. */
export class StepAttempt implements StepContext<unknown> {
  readonly emitted = new Collected();
  /** Types and verbs that are incomplete. */
  readonly incompleteTypes = new Set<string>();
  readonly omissions = new Omissions();
  readonly config: unknown;
  readonly signal: AbortSignal;
  readonly log: StepLog;
  readonly #parts: AttemptParts;
  readonly #path: FieldPath;
  #hasEnded = false;
  /** Of the emits, in the budget of the run. */
  #bytes = 0;

  constructor(parts: AttemptParts) {
    this.config = parts.config;
    this.signal = parts.signal;
    this.log = parts.log;
    this.#parts = parts;
    this.#path = new FieldPath(`step ${parts.step.id}`);
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
    const properties = withoutUndefined(draft.properties);
    const entity = parseEntity({ ...draft, properties }, this.#path, LARGE_INTEGERS);
    this.#requireDeclared(this.#parts.step.emits?.entities, entity.type);
    const known = this.#parts.progress.collected.entity(entity.type, entity.key);
    if (known !== undefined) throw this.#emittedEarlier(entity);
    if (this.emitted.addEntity(entity)) this.#hold(entityBytes(entity));
    this.#parts.progress.changed();
  }

  emitRelationship(draft: RelationshipDraft): void {
    this.#requireEmits();
    const properties = withoutUndefined(draft.properties);
    const relationship = parseRelationship(
      { ...draft, from: keyOf(draft.from), to: keyOf(draft.to), properties },
      this.#path,
      LARGE_INTEGERS,
    );
    this.#requireDeclared(this.#parts.step.emits?.relationships, relationship.verb);
    if (this.emitted.addRelationship(relationship)) this.#hold(relationshipBytes(relationship));
    this.#parts.progress.changed();
  }

  async emitAll({ entities = [], relationships = [] }: EmittedDrafts): Promise<void> {
    const turn = new Turn();
    for (const draft of entities) {
      this.emitEntity(draft);
      if (turn.isOver) await turn.pass(this.signal);
    }
    for (const draft of relationships) {
      this.emitRelationship(draft);
      if (turn.isOver) await turn.pass(this.signal);
    }
  }

  has(type: string, key: string): boolean {
    return (this.emitted.entity(type, key) ?? this.#parts.progress.collected.entity(type, key)) !== undefined;
  }

  entities(type: string): Iterable<EntityInput> {
    return this.#parts.progress.collected.entities(type);
  }

  unresolved({ reason, ...reference }: LooseReference): void {
    this.#requireEmits();
    const { verb, end, owner } = this.#parsed(reference);
    if (this.omissions.addUnresolved({ verb, end, ...owner })) this.#hold(referenceBytes(owner));
    this.warn(reason);
    this.#parts.progress.changed();
  }

  external({ reason, ...reference }: LooseReference): void {
    this.#requireRunning();
    this.#parsed(reference);
    if (this.omissions.addExternal() <= EXTERNAL_REASONS_MAX) this.warn(reason);
  }

  ignored(kind: string, count = 1): void {
    this.#requireRunning();
    this.omissions.addIgnored(this.#parts.progress.redacted(kind).slice(0, KIND_CHARACTERS_MAX), count);
  }

  incomplete(types: readonly string[], reason: string): void {
    this.#requireRunning();
    const { entities = [], relationships = [] } = this.#parts.step.emits ?? {};
    for (const type of types) {
      this.#requireDeclared([...entities, ...relationships], type);
      this.incompleteTypes.add(type);
    }
    this.warn(reason);
  }

  warn(message: string): void {
    this.#parts.progress.warn(this.#parts.step.id, message);
  }

  #parsed({ owner, end, verb }: Omit<LooseReference, 'reason'>): Omit<LooseReference, 'reason'> {
    if (!ENDS.has(end)) throw this.#path.fault('end', 'expected from or to');
    const name = parseName(verb, this.#path, 'verb');
    this.#requireDeclared(this.#parts.step.emits?.relationships, name);
    return { owner: parseEntityKey(keyOf(owner), this.#path, 'owner'), end, verb: name };
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
    throw new DomainError('CONFLICT', `step ${this.#parts.step.id} has ended: it may not emit any more`);
  }

  #requireDeclared(declared: readonly string[] = [], name: string): void {
    if (declared.includes(name) || declared.includes(ANY_TYPE)) return;
    throw new DomainError('CONFLICT', `step ${this.#parts.step.id} emits ${name} without declaring it`);
  }

  #emittedEarlier({ type, key }: EntityKey): DomainError {
    return new DomainError('DUPLICATE_KEY', `${type} ${key} was emitted by an earlier step`);
  }
}

/** An end may be the whole entity. */
function keyOf({ type, key }: EntityKey): EntityKey {
  return { type, key };
}

function withoutUndefined(properties: EntityDraft['properties'] = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}
