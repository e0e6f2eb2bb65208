/**
 * The rules in the part of the graph that exists for some callers. An outcome over everything would tell of
 * the rest, so they are evaluated over the part, when somebody asks; nothing of it is stored, noted as a
 * finding or reported. When a finding was first seen is not known there.
 */
import { type Scope, scopeKey } from '#graph/model';
import type { Clock, Turns } from '#platform/foundation';
import type { RuleOutcome } from '../evaluation/outcome.ts';
import type { Rule } from '../rule/rule.ts';
import { lastRunOf, resultOf } from './evaluation-record.ts';
import type { DatedRun, RatedRule } from './evaluation.ts';
import { evaluationId } from './judged-run.ts';
import { isPassedByDecision, type Posture, postureOf } from './posture.ts';
import { type FindingDecisions, ruleIdOf } from './finding-decisions.ts';
import type { FoundFinding } from './finding-filter.ts';
import { FoundFindings, foundOf, type ListedFinding, listedOf, refuseUnknown } from './finding-list.ts';
import { sightedFindings } from './finding-log.ts';
import { isMapped, type RuleBook } from './rule-book.ts';
import { type EntityFinding, type EntityFindings, findingsOf, type RuleFindings } from './rule-findings.ts';
import type { RuleRunner } from './rule-runner.ts';

/** What rules say to one caller. */
export interface RuleAnswers {
  /** Scores over the last run of each rule; what never ran is evaluated first. */
  posture(framework?: string): Promise<Posture>;
  rated(rules: readonly Rule[]): Promise<readonly RatedRule[]>;
  /** The current findings of a rule, each with its proof. Nothing is stored. Throws NOT_FOUND. */
  findings(ruleId: string, limit?: number): Promise<RuleFindings>;
  readonly register: FindingAnswers;
}

/**
 * The findings of the last runs of all rules, with what is decided about each of them now; a promise where
 * rules must be evaluated first.
 */
export interface FindingAnswers {
  found(): FoundFindings | Promise<FoundFindings>;
  /** One of them. Throws NOT_FOUND. */
  get(findingId: string): ListedFinding | Promise<ListedFinding>;
  /** Those of the entity with these ids of findings, by rule id; waived ones too. */
  ofEntity(findingIds: ReadonlyMap<string, string>): EntityFindings | Promise<EntityFindings>;
}

/** The outcome of each enabled rule at one moment. */
interface Look {
  readonly id: string;
  readonly at: string;
  readonly outcomes: ReadonlyMap<string, RuleOutcome>;
}

/** Roles have scopes, so that there are few; what is dropped is evaluated again. */
const SCOPES_MAX = 16;

export interface ScopedRulesOptions {
  readonly rules: RuleBook;
  readonly decisions: FindingDecisions;
  /** Those of all evaluations: the threads run one at a time. */
  readonly turns: Turns;
  readonly clock: Clock;
  readonly runnerFor: (scope: Scope) => RuleRunner;
}

export class ScopedRules {
  readonly #options: ScopedRulesOptions;
  /** By key of the scope; the one used least recently is first. */
  readonly #byScope = new Map<string, RulesInScope>();

  constructor(options: ScopedRulesOptions) {
    this.#options = options;
  }

  within(scope: Scope): RuleAnswers {
    const key = scopeKey(scope);
    const found = this.#byScope.get(key) ?? new RulesInScope(this.#options, this.#options.runnerFor(scope));
    this.#byScope.delete(key);
    this.#byScope.set(key, found);
    const [oldest] = this.#byScope.keys();
    if (this.#byScope.size > SCOPES_MAX && oldest !== undefined) this.#byScope.delete(oldest);
    return found;
  }
}

class RulesInScope implements RuleAnswers {
  readonly register: FindingAnswers;
  readonly #options: ScopedRulesOptions;
  readonly #runner: RuleRunner;
  /** An evaluation that has not begun: it serves all who ask meanwhile. */
  #waiting: Promise<Look> | undefined;

  constructor(options: ScopedRulesOptions, runner: RuleRunner) {
    this.#options = options;
    this.#runner = runner;
    this.register = new FindingsInScope(options, () => this.#look());
  }

  async posture(framework?: string): Promise<Posture> {
    const look = await this.#look();
    const mapped = this.#rules().filter((rule) => framework === undefined || isMapped(rule, framework));
    return postureOf(
      mapped.map((rule) => ({ rule, lastRun: runIn(look, rule) })),
      framework,
    );
  }

  async rated(rules: readonly Rule[]): Promise<readonly RatedRule[]> {
    const look = await this.#look();
    return rules.map((rule) => {
      const lastRun = runIn(look, rule);
      return { ...rule, ...(lastRun && { last_run: lastRun }) };
    });
  }

  async findings(ruleId: string, limit?: number): Promise<RuleFindings> {
    const { rules, turns, clock } = this.#options;
    const { rule } = rules.get(ruleId);
    return turns.run(async () => {
      const nowMs = clock.nowMs();
      const { outcomes, snapshotVersion } = await this.#runner.run([rule], { limit }, nowMs);
      return findingsOf(rule, outcomes.get(ruleId), { nowMs, snapshotVersion, firstSeenMs: () => undefined });
    });
  }

  #rules(): readonly Rule[] {
    return this.#options.rules.list().map(({ rule }) => rule);
  }

  async #look(): Promise<Look> {
    this.#waiting ??= this.#options.turns.run(async () => {
      this.#waiting = undefined;
      const nowMs = this.#options.clock.nowMs();
      const { outcomes } = await this.#runner.run(this.#rules(), {}, nowMs);
      return { id: evaluationId(nowMs), at: new Date(nowMs).toISOString(), outcomes };
    });
    const looking = this.#waiting;
    try {
      return await looking;
    } finally {
      // One that was refused, since too many wait, has never begun.
      if (this.#waiting === looking) this.#waiting = undefined;
    }
  }
}

class FindingsInScope implements FindingAnswers {
  readonly #options: ScopedRulesOptions;
  readonly #look: () => Promise<Look>;

  constructor(options: ScopedRulesOptions, look: () => Promise<Look>) {
    this.#options = options;
    this.#look = look;
  }

  /** A rule that finds too much to know each of its findings is unknown where it is not known to have one. */
  async ofEntity(findingIds: ReadonlyMap<string, string>): Promise<EntityFindings> {
    const look = await this.#look();
    const findings: EntityFinding[] = [];
    let unknown = 0;
    for (const rule of this.#enabled()) {
      const { id: rule_id, name, severity } = rule;
      const finding_id = findingIds.get(rule_id) ?? '';
      const outcome = look.outcomes.get(rule_id);
      if (outcome !== undefined && hasFound(outcome, finding_id)) {
        const facts = { finding_id, rule_id, name, severity, first_seen: null, evaluated_at: look.at };
        findings.push({ ...facts, is_waived: isWaived(outcome, finding_id) });
      } else if (outcome === undefined || isUnknown(outcome)) unknown++;
    }
    return { count: findings.length, unknown_count: unknown, findings };
  }

  /** A rule with an error has no findings here: there is none of an earlier run. */
  async found(): Promise<FoundFindings> {
    const look = await this.#look();
    const rules = this.#enabled();
    const unknown = rules.filter(({ id }) => {
      const outcome = look.outcomes.get(id);
      return outcome === undefined || isUnknown(outcome);
    });
    return new FoundFindings(
      rules.flatMap((rule) => this.#foundBy(rule, look)),
      unknown.length,
    );
  }

  async get(findingId: string): Promise<ListedFinding> {
    const look = await this.#look();
    const rule = this.#enabled().find(({ id }) => id === ruleIdOf(findingId));
    const ofRule = rule === undefined ? [] : this.#foundBy(rule, look);
    return listedOf(ofRule.find((found) => found.findingId === findingId) ?? refuseUnknown(findingId));
  }

  #foundBy(rule: Rule, look: Look): readonly FoundFinding[] {
    const { decisions, clock } = this.#options;
    const [run, outcome] = [runIn(look, rule), look.outcomes.get(rule.id)];
    if (run === undefined || outcome === undefined) return [];
    const nowMs = clock.nowMs();
    return Array.from(sightedFindings(outcome.sightings), ([findingId, known]) =>
      foundOf({ findingId, rule, run, known, care: decisions.find(findingId) ?? {} }, nowMs),
    );
  }

  #enabled(): readonly Rule[] {
    return this.#options.rules.list().flatMap(({ rule }) => (rule.enabled ? [rule] : []));
  }
}

function runIn({ id, at, outcomes }: Look, rule: Rule): DatedRun | undefined {
  const result = resultOf({ rule, outcome: outcomes.get(rule.id), isReused: false }, () => []);
  const run = lastRunOf(result, id, at);
  return run && { ...run, data_changed: false, is_waived: isPassedByDecision({ rule, lastRun: run }) };
}

function hasFound({ sightings }: RuleOutcome, findingId: string): boolean {
  const at = sightings.findingIds.indexOf(findingId);
  return at >= 0 && sightings.classes[at] !== null;
}

function isWaived({ sightings }: RuleOutcome, findingId: string): boolean {
  const waived = new Set(sightings.waived.map(([index]) => index));
  return sightings.findingIds.every((id, index) => id !== findingId || waived.has(index));
}

function isUnknown({ status, isComplete }: RuleOutcome): boolean {
  return status === 'Error' || ((status === 'Pass' || status === 'Fail') && !isComplete);
}
