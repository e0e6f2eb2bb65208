/**
 * The text matching of one run, bounded so that no value can delay other queries.
 *
 * - A value that is matched quickly is matched immediately; its steps count as work of the run's slice.
 * - A reader that can yield matches other values in steps.
 * - Where it cannot yield (a condition in a tight loop), such a value is deferred: it counts as no match, the
 *   result of that attempt is discarded, the value is matched in steps, and the query runs again with the
 *   known outcome.
 */
import { DomainError } from '#platform/foundation';
import { STEPS_PER_TURN, type TextMatcher } from './text-matcher.port.ts';

/** An attempt with this many deferred texts, or units of them, is aborted. */
const PENDING_TEXTS_MAX = 1_024;
const PENDING_UNITS_MAX = 4 * 2 ** 20;
/** Maximum text whose outcomes one run keeps, in UTF-16 units. */
const KEPT_UNITS_MAX = 64 * 2 ** 20;
/** Size of an entry in addition to its text. */
const ENTRY_UNITS = 64;

/** Aborts an attempt that has deferred enough. */
class DeferralsExceeded extends Error {}

export class TextWork {
  #outcomes: Map<string, Map<string, boolean>> | undefined;
  #pending: { readonly matcher: TextMatcher; readonly text: string }[] = [];
  #pendingUnits = 0;
  #keptUnits = 0;
  #spent = 0;
  #isUsed = false;

  /** Whether any test counts its work here: such a test must not be shared with other runs. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Must be called by each test that uses this object. */
  use(): void {
    this.#isUsed = true;
  }

  /** The outcome; false for a deferred text. */
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

  /** True if that is the outcome, and for a text that takes longer. */
  mayMatch(matcher: TextMatcher, text: string): boolean {
    return matcher.cost(text.length) > STEPS_PER_TURN || matcher.matches(text);
  }

  /** The outcome, regardless of the time. */
  *steps(matcher: TextMatcher, text: string): Generator<void, boolean> {
    if (matcher.cost(text.length) <= STEPS_PER_TURN) {
      const outcome = this.matches(matcher, text);
      if (this.#spent >= STEPS_PER_TURN) yield;
      return outcome;
    }
    const known = this.#outcomes?.get(matcher.key)?.get(text);
    return known ?? (yield* this.#counted(matcher.steps(text)));
  }

  /** Number of steps since the last call. */
  takeSpent(): number {
    const spent = this.#spent;
    this.#spent = 0;
    return spent;
  }

  /** Repeats `attempt` until it defers nothing. */
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
    if (isEnough) throw new DeferralsExceeded('expected the attempt to be run again');
  }
}

function tooMuchText(): DomainError {
  return new DomainError(
    'QUERY_TOO_LARGE',
    `expected at most ${String(KEPT_UNITS_MAX)} characters of long text to match: narrow the query`,
    { details: { limit: KEPT_UNITS_MAX } },
  );
}
