import { type Caller, type Forbidden, lackOf, type Requirement, Unauthorized } from './caller.ts';
import type { Keyring } from './keyring.ts';

/** Who was admitted, and for what. */
export interface Followed {
  readonly caller: Caller;
  /** Undefined: whatever its role allows. */
  readonly requirement: Requirement | undefined;
}

interface Open extends Followed {
  readonly end: (fault: Unauthorized | Forbidden) => void;
  timer: NodeJS.Timeout | undefined;
}

/** Timers are set to whole seconds, so that requests share them. */
const TIMER_MS = 1_000;
/** The longest time of a timer; it is set again afterwards. */
const TIMER_MS_MAX = 86_400_000;

/** What was begun in one scope does not go on in another. */
function scopeOf({ scope }: Caller): string | undefined {
  return JSON.stringify(scope);
}

/** Requests, streams and connections that are open, each to be ended once its caller's key has ended. */
export class OpenCallers {
  readonly #keys: Keyring;
  readonly #open = new Set<Open>();

  constructor(keys: Keyring) {
    this.#keys = keys;
    keys.onUse(() => this.lookAgain());
  }

  /** Ends what is open of callers that are no longer valid, or may no longer do what is required. */
  lookAgain(): void {
    for (const open of [...this.#open]) this.#look(open);
  }

  /** Calls `end` at most once, and never before it returns. Returns the function that ends the watch. */
  follow({ caller, requirement }: Followed, end: Open['end']): () => void {
    // Nothing ends the single key, nor open mode.
    if (caller.endsMs === undefined) return () => undefined;
    const open: Open = { caller, requirement, end, timer: undefined };
    this.#open.add(open);
    this.#setTimer(open);
    return () => this.#leave(open);
  }

  #look(open: Open): void {
    const now = this.#keys.current(open.caller);
    const { requirement } = open;
    const isSame = now !== undefined && scopeOf(now) === scopeOf(open.caller);
    const lack = isSame ? requirement && lackOf(now, requirement) : new Unauthorized();
    if (lack === undefined) {
      this.#setTimer(open);
      return;
    }
    this.#leave(open);
    open.end(lack);
  }

  #setTimer(open: Open): void {
    clearTimeout(open.timer);
    const endsMs = this.#keys.current(open.caller)?.endsMs ?? 0;
    if (endsMs === Infinity) return;
    const seconds = Math.ceil(Math.max(0, endsMs - this.#keys.nowMs()) / TIMER_MS);
    open.timer = setTimeout(() => this.#look(open), Math.min(TIMER_MS_MAX, seconds * TIMER_MS)).unref();
  }

  #leave(open: Open): void {
    clearTimeout(open.timer);
    this.#open.delete(open);
  }
}
