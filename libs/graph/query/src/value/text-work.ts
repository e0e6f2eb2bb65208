/**
 * What one run spends on matching text, so that no value can hold up others.
 *
 * - A value that is matched quickly is matched at once; its steps count as work of the run's slice.
 * - A reader that can wait matches other values in steps.
 * - Where nobody can wait (a condition in a tight loop), such a value is put off: it counts as no match, the
 *   answer of that attempt is thrown away, the value is matched in steps, and the query runs again with the
 *   outcome at hand.
 */
import { DomainError } from '#platform/foundation';
import { STEPS_PER_TURN, type TextMatcher } from './text-matcher.port.ts';

/** An attempt that has put off so many texts, or so long ones, is given up for the time being. */
const PENDING_TEXTS_MAX = 1_024;
const PENDING_UNITS_MAX = 4 * 2 ** 20;
/** Most text whose outcome one run keeps, in UTF-16 units. */
const KEPT_UNITS_MAX = 64 * 2 ** 20;
/** What an entry takes beside its text. */
const ENTRY_UNITS = 64;

/** Ends an attempt that has put off enough. */
class PutOffError extends Error {}

export class TextWork {
  #outcomes: Map<string, Map<string, boolean>> | undefined;
  #pending: { readonly matcher: TextMatcher; readonly text: string }[] = [];
  #pendingUnits = 0;
  #keptUnits = 0;
  #spent = 0;
  #isUsed = false;

  /** Whether any test counts its work here: such a test belongs to this run alone. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** To be called by each test that will match with this. */
  use(): void {
    this.#isUsed = true;
  }

  /** The outcome, or false for a text that was put off. */
  matches(matcher: TextMatcher, text: string): boolean {
    const cost = matcher.cost(text.length);
    if (cost <= STEPS_PER_TURN) {
      this.#spent += cost;
      return matcher.matches(text);
    }
    const known = this.#outcomes?.get(matcher.key)?.get(text);
    if (known === undefined) this.#putOff(matcher, text);
    return known ?? false;
  }

  /** True where it is the outcome, and for a text that takes longer. */
  mayMatch(matcher: TextMatcher, text: string): boolean {
    return matcher.cost(text.length) > STEPS_PER_TURN || matcher.matches(text);
  }

  /** The outcome, whatever it takes. */
  *steps(matcher: TextMatcher, text: string): Generator<void, boolean> {
    if (matcher.cost(text.length) <= STEPS_PER_TURN) {
      const outcome = this.matches(matcher, text);
      if (this.#spent >= STEPS_PER_TURN) yield;
      return outcome;
    }
    const known = this.#outcomes?.get(matcher.key)?.get(text);
    return known ?? (yield* this.#counted(matcher.steps(text)));
  }

  /** Steps since this was called last. */
  takeSpent(): number {
    const spent = this.#spent;
    this.#spent = 0;
    return spent;
  }

  /** Runs `attempt` until nothing is put off in it. */
  *settled<T>(attempt: () => Generator<void, T>): Generator<void, T> {
    for (;;) {
      try {
        const result = yield* attempt();
        if (this.#pending.length === 0) return result;
      } catch (error) {
        if (this.#pending.length === 0) throw error;
      }
      yield* this.#settle();
    }
  }

  *#settle(): Generator<void, void> {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingUnits = 0;
    this.#outcomes ??= new Map<string, Map<string, boolean>>();
    for (const { matcher, text } of pending) {
      let outcomes = this.#outcomes.get(matcher.key);
      if (outcomes === undefined) this.#outcomes.set(matcher.key, (outcomes = new Map<string, boolean>()));
      if (outcomes.has(text)) continue;
      outcomes.set(text, yield* this.#counted(matcher.steps(text)));
      this.#keptUnits += text.length + ENTRY_UNITS;
      if (this.#keptUnits > KEPT_UNITS_MAX) throw tooMuchText();
    }
  }

  *#counted(steps: Generator<void, boolean>): Generator<void, boolean> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      this.#spent += STEPS_PER_TURN;
      yield;
    }
  }

  #putOff(matcher: TextMatcher, text: string): void {
    this.#pending.push({ matcher, text });
    this.#pendingUnits += text.length;
    const isEnough = this.#pending.length >= PENDING_TEXTS_MAX || this.#pendingUnits >= PENDING_UNITS_MAX;
    if (isEnough) throw new PutOffError('expected the attempt to be run again');
  }
}

function tooMuchText(): DomainError {
  return new DomainError(
    'QUERY_TOO_LARGE',
    `expected at most ${String(KEPT_UNITS_MAX)} characters of long text to match: narrow the query`,
    { details: { limit: KEPT_UNITS_MAX } },
  );
}
