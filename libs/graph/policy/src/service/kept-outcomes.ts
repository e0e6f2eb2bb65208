/**
 * The last outcome of each rule, kept while none of its inputs changes: another run would have the same
 * outcome (ADR 0220).
 */
import type { ChangeLog, ChangeMark } from '#graph/memory';
import type { Footprint } from '#graph/model';
import { ReadingStatement } from '#graph/cypher';
import { isStamp, unionOf } from '#graph/query';
import { hasExpired } from '../evaluation/evaluate-rule.ts';
import type { RuleOutcome, RuleTask } from '../evaluation/outcome.ts';
import { compileException, compileQuery, footprintOfQueries } from '../rule/rule-query.ts';
import type { Rule } from '../rule/rule.ts';

/** Maximum number of kept violations and sightings of all rules: about 50 MB. */
const FINDINGS_KEPT_MAX = 200_000;

/** Footprints of rule queries by rule object; an edited rule is a new object. */
const asked = new WeakMap<Rule, Footprint | undefined>();

interface Kept {
  readonly task: RuleTask;
  readonly outcome: RuleOutcome;
  readonly footprint: Footprint;
  readonly mark: ChangeMark;
}

export class KeptOutcomes {
  readonly #findingsMax: number;
  readonly #footprint: Footprint | undefined;
  /** The kept outcomes by rule id; the oldest is dropped first. */
  readonly #byRule = new Map<string, Kept>();
  #findings = 0;

  /** `footprint` replaces that of the rules. */
  constructor(findingsMax = FINDINGS_KEPT_MAX, footprint?: Footprint) {
    this.#findingsMax = findingsMax;
    this.#footprint = footprint;
  }

  /** The kept outcome of the task; undefined if the task has to be run. */
  find(task: RuleTask, changes: ChangeLog): RuleOutcome | undefined {
    const kept = this.#byRule.get(task.rule.id);
    if (kept === undefined || !isSame(kept, task)) return undefined;
    return changes.hasChanged(kept.footprint, kept.mark) ? undefined : kept.outcome;
  }

  /** Keeps the outcome of the task on the snapshot of `mark`. */
  keep(task: RuleTask, outcome: RuleOutcome, mark: ChangeMark): void {
    this.#drop(task.rule.id);
    const own = outcomeFootprint(task.rule, outcome);
    const footprint = own && (this.#footprint ?? own);
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

/** The size of an outcome: all its violations and sightings, and 1 for the outcome itself. */
function findingsOf({ violations, sightings }: RuleOutcome): number {
  return 1 + violations.length + sightings.findingIds.length;
}

/** Compares tasks except for the time-out, which is irrelevant to an outcome without an error. */
function isSame({ task: kept, outcome }: Kept, { rule, violationsMax, nowMs }: RuleTask): boolean {
  const showsAll = outcome.violations.length < Math.min(kept.violationsMax, violationsMax);
  return (
    (showsAll || kept.violationsMax === violationsMax) &&
    (kept.rule === rule || JSON.stringify(kept.rule) === JSON.stringify(rule)) &&
    rule.exceptions.every((exception) => hasExpired(exception, kept.nowMs) === hasExpired(exception, nowMs))
  );
}

/** Undefined if the outcome depends on more than the graph: on the time, or on the duration of the run. */
export function outcomeFootprint(rule: Rule, outcome: RuleOutcome): Footprint | undefined {
  if (outcome.status === 'Error') return undefined;
  const footprint = askedBy(rule);
  // A warning contains the nearest of all names in the graph, so any change can affect it.
  const warnsOfNames = outcome.warnings.some(({ code }) => code.startsWith('UNKNOWN_'));
  return footprint && warnsOfNames ? { ...footprint, names: '*', verbs: '*' } : footprint;
}

function askedBy(rule: Rule): Footprint | undefined {
  if (!asked.has(rule)) asked.set(rule, footprintOfRule(rule));
  return asked.get(rule);
}

function footprintOfRule(rule: Rule): Footprint | undefined {
  const footprint = rule.cypher === undefined ? footprintOfPql(rule) : footprintOfCypher(rule, rule.cypher);
  return footprint && { ...footprint, readsStamps: footprint.readsStamps || rule.identity.some(isStamp) };
}

function footprintOfPql({ query = '', population, exceptions }: Rule): Footprint | undefined {
  return footprintOfQueries([
    compileQuery(query),
    ...(population === undefined ? [] : [compileQuery(population)]),
    ...exceptions.map(({ match }) => compileException(query, match)),
  ]);
}

function footprintOfCypher({ population, exceptions }: Rule, cypher: string): Footprint | undefined {
  const main = new ReadingStatement(cypher);
  const footprints = [
    main.footprint(exceptions.map(({ match }) => main.condition(match))),
    ...(population === undefined ? [] : [new ReadingStatement(population).footprint([])]),
  ];
  const known = footprints.filter((each) => each !== undefined);
  return known.length === footprints.length ? unionOf(known) : undefined;
}
