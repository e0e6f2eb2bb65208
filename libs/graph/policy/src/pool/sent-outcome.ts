/**
 * An outcome as sent by a thread. Its findings are sent as text: copying one long text between threads costs
 * a fraction of copying its strings one by one, and the text is parsed on first use.
 */
import type { RuleOutcome, RuleViolation, Sightings, WaivedSighting } from '../evaluation/outcome.ts';

/** An outcome as plain data, which threads can exchange. */
export interface SentOutcome extends Omit<RuleOutcome, 'violations' | 'sightings'> {
  /** The violations as JSON. */
  readonly violations: string;
  /** The sightings as JSON. */
  readonly sightings: string;
}

export function sentOutcome(outcome: RuleOutcome): SentOutcome {
  const { violations, sightings } = outcome;
  return { ...outcome, violations: JSON.stringify(violations), sightings: JSON.stringify(sightings) };
}

export function receivedOutcome(sent: SentOutcome): RuleOutcome {
  return {
    ...sent,
    violations: JSON.parse(sent.violations) as readonly RuleViolation[],
    sightings: new SentSightings(sent.sightings),
  };
}

class SentSightings implements Sightings {
  #json: string | undefined;
  #read: Sightings | undefined;

  constructor(json: string) {
    this.#json = json;
  }

  get findingIds(): readonly string[] {
    return this.#all().findingIds;
  }

  get labels(): readonly string[] {
    return this.#all().labels;
  }

  get classes(): readonly (string | null)[] {
    return this.#all().classes;
  }

  get entityIds(): readonly (string | null)[] {
    return this.#all().entityIds;
  }

  get waived(): readonly WaivedSighting[] {
    return this.#all().waived;
  }

  #all(): Sightings {
    this.#read ??= JSON.parse(this.#json ?? '') as Sightings;
    this.#json = undefined;
    return this.#read;
  }
}
