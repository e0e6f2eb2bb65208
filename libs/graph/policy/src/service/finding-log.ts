/** What each rule found last, and since when: so a finding has a first sighting, and can be resolved. */
import { FINDINGS_MAX, type RuleOutcome } from '../evaluation/outcome.ts';
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
}

/** First sighting, label, and class where there is one. */
type StoredFinding = readonly [number, string, (string | null)?];

type Known = ReadonlyMap<string, KnownFinding>;
const NOTHING: Known = new Map();
const UNCHANGED: FindingChanges = { opened: [], resolved: [], document: undefined };

/** What was noted of a rule last, and what was known after it. */
interface Noted {
  readonly outcome: RuleOutcome;
  readonly known: Known | undefined;
}

export class FindingLog {
  #byRule = new Map<string, Known>();
  /** The same outcome changes nothing the second time. */
  readonly #noted = new Map<string, Noted>();

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
   * Notes what a run found. One without data, or in error, says nothing; one that was cut resolves nothing.
   */
  note(ruleId: string, outcome: RuleOutcome, nowMs: number): FindingChanges {
    const noted = this.#noted.get(ruleId);
    const known = this.#byRule.get(ruleId);
    if (!isJudged(outcome) || (noted?.outcome === outcome && noted.known === known)) return UNCHANGED;
    const changes = this.#note(ruleId, outcome, nowMs);
    this.#noted.set(ruleId, { outcome, known: this.#byRule.get(ruleId) });
    return changes;
  }

  forget(ruleId: string): void {
    this.#byRule.delete(ruleId);
    this.#noted.delete(ruleId);
  }

  #note(ruleId: string, outcome: RuleOutcome, nowMs: number): FindingChanges {
    const before = this.#byRule.get(ruleId) ?? NOTHING;
    const after = sightedBy(outcome, before, nowMs);
    const opened = [...after].filter(([id]) => !before.has(id));
    const gone = [...before].filter(([id]) => !after.has(id));
    const resolved = outcome.isComplete ? gone : [];
    if (!outcome.isComplete) for (const [id, known] of gone.slice(0, FINDINGS_MAX)) after.set(id, known);
    if (opened.length === 0 && resolved.length === 0) return UNCHANGED;
    this.#byRule.set(ruleId, after);
    const document = { id: FINDINGS_PREFIX + ruleId, value: stored(after) };
    return { opened: opened.map(noteOf), resolved: resolved.map(noteOf), document };
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
