/** The last outcome of each rule, as long as another run would come to the same. */
import type { ChangeLog, ChangeMark } from '#graph/engine';
import type { Footprint } from '#graph/model';
import { hasExpired } from '../evaluation/evaluate-rule.ts';
import type { RuleOutcome, RuleTask } from '../evaluation/outcome.ts';
import { outcomeFootprint } from '../evaluation/rule-footprint.ts';

/** Violations and sightings that are kept, over all rules: about 50 MB. */
const FINDINGS_KEPT_MAX = 200_000;

interface Kept {
  readonly task: RuleTask;
  readonly outcome: RuleOutcome;
  readonly footprint: Footprint;
  readonly mark: ChangeMark;
}

export class KeptOutcomes {
  readonly #findingsMax: number;
  /** By rule id; what was kept first is dropped first. */
  readonly #byRule = new Map<string, Kept>();
  #findings = 0;

  constructor(findingsMax = FINDINGS_KEPT_MAX) {
    this.#findingsMax = findingsMax;
  }

  /** Undefined when the task has to be run. */
  find(task: RuleTask, changes: ChangeLog): RuleOutcome | undefined {
    const kept = this.#byRule.get(task.rule.id);
    if (kept === undefined || !isSame(kept, task)) return undefined;
    return changes.hasChanged(kept.footprint, kept.mark) ? undefined : kept.outcome;
  }

  /** What the task came to on the snapshot that the mark was made for. */
  keep(task: RuleTask, outcome: RuleOutcome, mark: ChangeMark): void {
    this.#drop(task.rule.id);
    const footprint = outcomeFootprint(task.rule, outcome);
    const count = findingsOf(outcome);
    if (footprint === undefined || count > this.#findingsMax) return;
    this.#findings += count;
    this.#byRule.set(task.rule.id, { task, outcome, footprint, mark });
    for (const id of this.#byRule.keys()) {
      if (this.#findings <= this.#findingsMax) break;
      this.#drop(id);
    }
  }

  #drop(ruleId: string): void {
    const kept = this.#byRule.get(ruleId);
    if (kept === undefined) return;
    this.#findings -= findingsOf(kept.outcome);
    this.#byRule.delete(ruleId);
  }
}

/** Each counts, and so does the outcome itself. */
function findingsOf({ violations, sightings }: RuleOutcome): number {
  return 1 + violations.length + sightings.findingIds.length;
}

/** All but the time-out, which an outcome without an error has kept. */
function isSame({ task: kept, outcome }: Kept, { rule, violationsMax, nowMs }: RuleTask): boolean {
  const showsAll = outcome.violations.length < Math.min(kept.violationsMax, violationsMax);
  return (
    (showsAll || kept.violationsMax === violationsMax) &&
    (kept.rule === rule || JSON.stringify(kept.rule) === JSON.stringify(rule)) &&
    rule.exceptions.every((exception) => hasExpired(exception, kept.nowMs) === hasExpired(exception, nowMs))
  );
}
