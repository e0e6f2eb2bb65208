/** What each rule found last, and since when: so a finding has a first sighting, and can be resolved. */
import { FINDINGS_MAX, type RuleOutcome } from '../evaluation/outcome.ts';
import type { SeenViolation } from './evaluation.ts';
import {
  type FindingNote,
  FINDINGS_PREFIX,
  NAMESPACE,
  type PolicyDocument,
  type PolicyDocuments,
} from './policy-ports.ts';

interface KnownFinding {
  readonly firstSeenMs: number;
  readonly label: string;
  /** Null of a group, and of what an earlier version has found. */
  readonly class: string | null;
}

/** How the findings of a rule differ from those of its last run. */
export interface FindingChanges {
  readonly opened: readonly FindingNote[];
  readonly resolved: readonly FindingNote[];
  /** To store; undefined when nothing has changed. */
  readonly document: PolicyDocument | undefined;
  /** To be called once that is durable: until then the findings are those of the run before. */
  readonly keep: () => void;
}

/** First sighting, label, and class where there is one. */
type StoredFinding = readonly [number, string, (string | null)?];

type Known = ReadonlyMap<string, KnownFinding>;
const NOTHING: Known = new Map();
const UNCHANGED: FindingChanges = { opened: [], resolved: [], document: undefined, keep: () => undefined };

/** What was known of the rule once its outcome had been compared. */
interface Compared {
  readonly known: Known | undefined;
  /** The violations that it shows, as soon as they have been asked for. */
  seen: readonly SeenViolation[] | undefined;
}

export class FindingLog {
  #byRule = new Map<string, Known>();
  /** The same outcome changes nothing the second time. */
  readonly #compared = new WeakMap<RuleOutcome, Compared>();

  async load(documents: PolicyDocuments): Promise<void> {
    const byRule = new Map<string, Known>();
    for await (const { id, value } of documents.all(NAMESPACE, FINDINGS_PREFIX)) {
      const stored = value as Readonly<Record<string, StoredFinding>>;
      const entries = Object.entries(stored).map(
        ([findingId, [firstSeenMs, label, entityClass = null]]) =>
          [findingId, { firstSeenMs, label, class: entityClass }] as const,
      );
      byRule.set(id.slice(FINDINGS_PREFIX.length), new Map(entries));
    }
    this.#byRule = byRule;
  }

  firstSeenMs(ruleId: string, findingId: string): number | undefined {
    return this.#byRule.get(ruleId)?.get(findingId)?.firstSeenMs;
  }

  /** Undefined also when the finding is a group's. */
  ofEntity(ruleId: string, findingId: string): FindingNote | undefined {
    const known = this.#byRule.get(ruleId)?.get(findingId);
    return known === undefined || known.class === null ? undefined : noteOf([findingId, known]);
  }

  /**
   * Compares what a run found with the run before. One without data, or in error, says nothing; one that was
   * cut resolves nothing.
   */
  compare(ruleId: string, outcome: RuleOutcome, nowMs: number): FindingChanges {
    if (!isJudged(outcome) || this.#comparedBefore(ruleId, outcome) !== undefined) return UNCHANGED;
    const changes = this.#compare(ruleId, outcome, nowMs);
    const known = this.#byRule.get(ruleId);
    if (changes === UNCHANGED) this.#compared.set(outcome, { known, seen: undefined });
    return changes;
  }

  /** The violations that an outcome shows, with their first sightings: at `nowMs`, of those that are new. */
  seenBy(ruleId: string, outcome: RuleOutcome, nowMs: number): readonly SeenViolation[] {
    const compared = this.#comparedBefore(ruleId, outcome);
    if (compared === undefined) return this.#seenBy(ruleId, outcome, nowMs);
    compared.seen ??= this.#seenBy(ruleId, outcome, nowMs);
    return compared.seen;
  }

  forget(ruleId: string): void {
    this.#byRule.delete(ruleId);
  }

  #comparedBefore(ruleId: string, outcome: RuleOutcome): Compared | undefined {
    const compared = this.#compared.get(outcome);
    return compared?.known === this.#byRule.get(ruleId) ? compared : undefined;
  }

  #seenBy(ruleId: string, { violations }: RuleOutcome, nowMs: number): SeenViolation[] {
    const known = this.#byRule.get(ruleId) ?? NOTHING;
    const instant = instants();
    return violations.map(({ waived, ...facts }) => {
      const firstSeen = instant(known.get(facts.finding_id)?.firstSeenMs ?? nowMs);
      return { ...facts, first_seen: firstSeen, ...(waived && { waived }) };
    });
  }

  #compare(ruleId: string, outcome: RuleOutcome, nowMs: number): FindingChanges {
    const before = this.#byRule.get(ruleId) ?? NOTHING;
    const after = sightedBy(outcome, before, nowMs);
    const opened = [...after].filter(([id]) => !before.has(id));
    const gone = [...before].filter(([id]) => !after.has(id));
    const resolved = outcome.isComplete ? gone : [];
    if (!outcome.isComplete) for (const [id, known] of gone.slice(0, FINDINGS_MAX)) after.set(id, known);
    if (opened.length === 0 && resolved.length === 0) return UNCHANGED;
    const document = { id: FINDINGS_PREFIX + ruleId, value: stored(after) };
    const keep = (): void => {
      this.#byRule.set(ruleId, after);
      this.#compared.set(outcome, { known: after, seen: undefined });
    };
    return { opened: opened.map(noteOf), resolved: resolved.map(noteOf), document, keep };
  }
}

function sightedBy({ sightings }: RuleOutcome, before: Known, nowMs: number): Map<string, KnownFinding> {
  const { findingIds, labels, classes } = sightings;
  return new Map(
    findingIds.map((findingId, index) => {
      const firstSeenMs = before.get(findingId)?.firstSeenMs ?? nowMs;
      return [findingId, { firstSeenMs, label: labels[index] ?? findingId, class: classes[index] ?? null }];
    }),
  );
}

function isJudged({ status }: RuleOutcome): boolean {
  return status === 'Pass' || status === 'Fail';
}

function stored(known: Known): Record<string, StoredFinding> {
  return Object.fromEntries(
    Array.from(known, ([id, { firstSeenMs, label, class: entityClass }]) => [
      id,
      entityClass === null ? [firstSeenMs, label] : [firstSeenMs, label, entityClass],
    ]),
  );
}

function noteOf([findingId, known]: readonly [string, KnownFinding]): FindingNote {
  const { firstSeenMs, label, class: entityClass } = known;
  return {
    finding_id: findingId,
    label,
    ...(entityClass !== null && { class: entityClass }),
    first_seen: new Date(firstSeenMs).toISOString(),
  };
}

/** Times as text: most violations of a rule were first seen at once, and a date takes long. */
function instants(): (ms: number) => string {
  let lastMs = NaN;
  let text = '';
  return (ms) => {
    if (ms !== lastMs) text = new Date(ms).toISOString();
    lastMs = ms;
    return text;
  };
}
