/** The last findings of each rule with their first sighting, to detect new and resolved findings. */
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
  /** Null for a group, and for findings of an earlier version. */
  readonly class: string | null;
}

/** The differences between the findings of a rule and those of its previous run. */
export interface FindingChanges {
  readonly opened: readonly FindingNote[];
  readonly resolved: readonly FindingNote[];
  /** The document to store; undefined if nothing has changed. */
  readonly document: PolicyDocument | undefined;
  /** Called once the document is durable: until then the findings are those of the previous run. */
  readonly keep: () => void;
}

/** First sighting, label, and class if any. */
type StoredFinding = readonly [number, string, (string | null)?];

type Known = ReadonlyMap<string, KnownFinding>;
const NOTHING: Known = new Map();
const UNCHANGED: FindingChanges = { opened: [], resolved: [], document: undefined, keep: () => undefined };

/** The known findings of a rule after the comparison of an outcome. */
interface Compared {
  readonly known: Known | undefined;
  /** The shown violations of the outcome, computed on first use. */
  seen: readonly SeenViolation[] | undefined;
}

export class FindingLog {
  #byRule = new Map<string, Known>();
  /** Outcomes already compared: a second comparison changes nothing. */
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

  /** The finding of an entity; undefined for an unknown one and for a group. */
  ofEntity(ruleId: string, findingId: string): FindingNote | undefined {
    const known = this.#byRule.get(ruleId)?.get(findingId);
    return known === undefined || known.class === null ? undefined : noteOf([findingId, known]);
  }

  /**
   * Compares the findings of a run with those of the previous run. A run without data or with an error
   * changes nothing; an incomplete one resolves nothing.
   */
  compare(ruleId: string, outcome: RuleOutcome, nowMs: number): FindingChanges {
    if (!isJudged(outcome) || this.#comparedBefore(ruleId, outcome) !== undefined) return UNCHANGED;
    const changes = this.#compare(ruleId, outcome, nowMs);
    const known = this.#byRule.get(ruleId);
    if (changes === UNCHANGED) this.#compared.set(outcome, { known, seen: undefined });
    return changes;
  }

  /** The shown violations of an outcome with their first sightings; `nowMs` for new ones. */
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

/** Formats times, cached: most violations of a rule have the same first sighting, and formatting is slow. */
function instants(): (ms: number) => string {
  let lastMs = NaN;
  let text = '';
  return (ms) => {
    if (ms !== lastMs) text = new Date(ms).toISOString();
    lastMs = ms;
    return text;
  };
}
