/** The last findings of each rule with their first sighting, to detect new, reopened and resolved ones. */
import { FINDINGS_MAX, type RuleOutcome, type Sightings } from '../evaluation/outcome.ts';
import type { SeenViolation } from './evaluation.ts';
import {
  type FindingNote,
  FINDINGS_PREFIX,
  NAMESPACE,
  type PolicyDocument,
  type PolicyDocuments,
} from './policy-ports.ts';

/** A finding as one run of its rule shows it. */
export interface SightedFinding {
  readonly label: string;
  /** Null for a group, and for findings of an earlier version. */
  readonly class: string | null;
  /** Null for a group, and where an earlier version has not noted it. */
  readonly entityId: string | null;
  /** The number of the exception that waives it, {@link BY_DECISION}, or null if nothing does. */
  readonly waivedBy: number | null;
}

/** A finding as of the last run of its rule. */
export interface KnownFinding extends SightedFinding {
  readonly firstSeenMs: number;
  /** When it was first seen, or when it was first seen again without the waiver that it had. */
  readonly openedMs: number;
  /** Whether it was waived since its first sighting: its opening was no news. */
  readonly isUnreported: boolean;
}

/** The differences between the findings of a rule and those of its previous run. */
export interface FindingChanges {
  /** New ones, and those that are waived no more; a waived finding is no news. */
  readonly opened: readonly FindingNote[];
  /** Those that are gone, of which the opening was news. */
  readonly resolved: readonly FindingNote[];
  /** The document to store; undefined if nothing has changed. */
  readonly document: PolicyDocument | undefined;
  /** Called once the document is durable: until then the findings are those of the previous run. */
  readonly keep: () => void;
}

/** First sighting, label, class if any, and what else is not as for most findings. */
export type StoredFinding = readonly [number, string, (string | null)?, StoredExtra?];

interface StoredExtra {
  readonly opened_ms?: number;
  readonly entity_id?: string;
  readonly waived_by?: number;
  readonly unreported?: true;
}

/** The entity of a finding whose id is not that of the entity; undefined where it is, and for a group. */
export function storedEntityId([, , , extra]: StoredFinding): string | undefined {
  return extra?.entity_id;
}

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
      const ruleId = id.slice(FINDINGS_PREFIX.length);
      const entries = Object.entries(stored).map(
        ([findingId, finding]) => [findingId, knownOf(ruleId, findingId, finding)] as const,
      );
      byRule.set(ruleId, new Map(entries));
    }
    this.#byRule = byRule;
  }

  firstSeenMs(ruleId: string, findingId: string): number | undefined {
    return this.find(ruleId, findingId)?.firstSeenMs;
  }

  find(ruleId: string, findingId: string): KnownFinding | undefined {
    return this.#byRule.get(ruleId)?.get(findingId);
  }

  /** The findings of a rule by id. */
  of(ruleId: string): ReadonlyMap<string, KnownFinding> {
    return this.#byRule.get(ruleId) ?? NOTHING;
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
    const changed = [...after].filter(([id, { waivedBy }]) => before.get(id)?.waivedBy !== waivedBy);
    const gone = [...before].filter(([id]) => !after.has(id));
    const ended = outcome.isComplete ? gone : [];
    if (!outcome.isComplete) for (const [id, known] of gone.slice(0, FINDINGS_MAX)) after.set(id, known);
    if (changed.length === 0 && ended.length === 0) return UNCHANGED;
    const opened = changed.filter(([, { waivedBy }]) => waivedBy === null);
    const resolved = ended.filter(([, { isUnreported }]) => !isUnreported);
    const document = { id: FINDINGS_PREFIX + ruleId, value: stored(ruleId, after) };
    const keep = (): void => {
      this.#byRule.set(ruleId, after);
      this.#compared.set(outcome, { known: after, seen: undefined });
    };
    return { opened: opened.map(noteOf), resolved: resolved.map(noteOf), document, keep };
  }
}

function sightedBy({ sightings }: RuleOutcome, before: Known, nowMs: number): Map<string, KnownFinding> {
  return new Map(
    Array.from(sightedFindings(sightings), ([findingId, sighted]) => [
      findingId,
      { ...sighted, ...timesOf(before.get(findingId), sighted.waivedBy, nowMs) },
    ]),
  );
}

/** The findings of an outcome by id. */
export function sightedFindings(sightings: Sightings): ReadonlyMap<string, SightedFinding> {
  const { findingIds, labels, classes, entityIds } = sightings;
  const waivedBy = waivedFindings(sightings);
  return new Map(
    findingIds.map((findingId, index) => [
      findingId,
      {
        label: labels[index] ?? findingId,
        class: classes[index] ?? null,
        entityId: entityIds[index] ?? null,
        waivedBy: waivedBy.get(findingId) ?? null,
      },
    ]),
  );
}

/** When a finding was first seen and opened, by what was known of it and what waives it now. */
function timesOf(
  known: KnownFinding | undefined,
  waivedBy: number | null,
  nowMs: number,
): Pick<KnownFinding, 'firstSeenMs' | 'openedMs' | 'isUnreported'> {
  const isWaived = waivedBy !== null;
  if (known === undefined) return { firstSeenMs: nowMs, openedMs: nowMs, isUnreported: isWaived };
  const { firstSeenMs, isUnreported } = known;
  const isReopened = known.waivedBy !== null && !isWaived;
  const openedMs = isReopened ? nowMs : known.openedMs;
  return { firstSeenMs, openedMs, isUnreported: isWaived && isUnreported };
}

/** The findings of which every result is waived, with the exception that waives the first one. */
function waivedFindings({ findingIds, waived }: Sightings): ReadonlyMap<string, number> {
  if (waived.length === 0) return new Map();
  const byResult = new Map(waived);
  const counted = new Set(findingIds.filter((_, index) => !byResult.has(index)));
  const findings = new Map<string, number>();
  for (const [index, exception] of waived) {
    const findingId = findingIds[index];
    if (findingId === undefined || counted.has(findingId) || findings.has(findingId)) continue;
    findings.set(findingId, exception);
  }
  return findings;
}

function isJudged({ status }: RuleOutcome): boolean {
  return status === 'Pass' || status === 'Fail';
}

function stored(ruleId: string, known: Known): Record<string, StoredFinding> {
  return Object.fromEntries(
    Array.from(known, ([id, finding]): [string, StoredFinding] => {
      const { firstSeenMs, label, class: entityClass } = finding;
      const extra = extraOf(ruleId, id, finding);
      if (Object.keys(extra).length > 0) return [id, [firstSeenMs, label, entityClass, extra]];
      return [id, entityClass === null ? [firstSeenMs, label] : [firstSeenMs, label, entityClass]];
    }),
  );
}

function extraOf(ruleId: string, findingId: string, known: KnownFinding): StoredExtra {
  const { firstSeenMs, openedMs, entityId, waivedBy, isUnreported } = known;
  return {
    ...(openedMs !== firstSeenMs && { opened_ms: openedMs }),
    ...(entityId !== null && findingId !== `${ruleId}:${entityId}` && { entity_id: entityId }),
    ...(waivedBy !== null && { waived_by: waivedBy }),
    ...(isUnreported && { unreported: true as const }),
  };
}

function knownOf(
  ruleId: string,
  findingId: string,
  [firstSeenMs, label, entityClass = null, extra = {}]: StoredFinding,
): KnownFinding {
  const { opened_ms: openedMs, entity_id: entityId, waived_by: waivedBy, unreported = false } = extra;
  // The id of a finding without an identity of its own has the id of the entity; that of a group has a hash.
  const fromFinding = entityClass === null ? null : findingId.slice(ruleId.length + 1);
  return {
    firstSeenMs,
    openedMs: openedMs ?? firstSeenMs,
    label,
    class: entityClass,
    entityId: entityId ?? fromFinding,
    waivedBy: waivedBy ?? null,
    isUnreported: unreported,
  };
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
