import type { EntityKey } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { Step } from './step.ts';

const CURSOR_CHARACTERS_MAX = 10_000;

/** What an incremental step says of its place in the changes of the source. */
export class StepIncrement {
  readonly #step: Step;
  readonly #removed = new Map<string, EntityKey>();
  #isIncrement: boolean;
  #next: string | undefined;

  constructor(step: Step, cursor: string | undefined) {
    this.#step = step;
    this.#isIncrement = cursor !== undefined;
    this.#next = cursor;
  }

  /** Whether it emits changes, not everything. */
  get isIncrement(): boolean {
    return this.#isIncrement;
  }

  /** The cursor for the next run. */
  get next(): string | undefined {
    return this.#next;
  }

  get removed(): readonly EntityKey[] {
    return this.#isIncrement ? [...this.#removed.values()] : [];
  }

  keepCursor(cursor: unknown): void {
    this.#requireIncremental('keepCursor');
    if (typeof cursor !== 'string' || cursor === '' || cursor.length > CURSOR_CHARACTERS_MAX) {
      const got = typeof cursor === 'string' ? `${cursor.length}` : typeof cursor;
      const expected = `a text of 1 to ${CURSOR_CHARACTERS_MAX} characters`;
      throw new DomainError('INVALID_REQUEST', `keepCursor: expected ${expected}, got ${got}`);
    }
    this.#next = cursor;
  }

  /** Returns whether it is new. */
  remove(entity: EntityKey): boolean {
    this.#requireIncremental('removed');
    const size = this.#removed.size;
    this.#removed.set(`${entity.type}\0${entity.key}`, entity);
    return this.#removed.size > size;
  }

  startOver(): void {
    this.#requireIncremental('startOver');
    this.#isIncrement = false;
    this.#next = undefined;
  }

  #requireIncremental(call: string): void {
    if (this.#step.incremental === true) return;
    throw new DomainError('CONFLICT', `${call}: step ${this.#step.id} is not declared as incremental`);
  }
}
