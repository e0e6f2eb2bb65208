import { isMet } from '../evaluation/evaluate-rule.ts';
import { ALL_FRAMEWORKS, type Rule, SEVERITIES, type Severity } from '../rule/rule.ts';
import type { DatedRun, LastRun } from './evaluation.ts';

const WEIGHTS: Readonly<Record<Severity, number>> = { critical: 10, high: 5, medium: 3, low: 1, info: 0 };

/** A rule and what it was found to be; undefined if it has not run. */
export interface JudgedRule {
  readonly rule: Rule;
  readonly lastRun: Pick<LastRun, 'status' | 'violation_count' | 'decided_count'> | undefined;
}

export interface ScoredRule extends JudgedRule {
  readonly lastRun: LastRun | DatedRun | undefined;
}

/**
 * `NotMapped`: no rule of the control has been evaluated. `NoData`: no evaluated rule had data. `Waived`: no
 * rule fails, and at least one only because its findings are waived by decisions. `Partial`: some rules pass,
 * and others fail or had no data.
 */
export type ControlStatus = 'Pass' | 'Fail' | 'Partial' | 'Waived' | 'NoData' | 'NotMapped';

export interface ControlPosture {
  readonly framework: string;
  readonly control_id: string;
  readonly title: string;
  readonly status: ControlStatus;
  readonly rule_count: number;
  readonly pass_count: number;
  /** Number of rules that failed or had an error. */
  readonly fail_count: number;
  readonly error_count: number;
  readonly no_data_count: number;
  /** Number of rules that pass only because of decisions about their findings. */
  readonly waived_count: number;
}

interface Tally {
  /** The sum of the others. */
  readonly total: number;
  readonly pass: number;
  /** Number of rules that failed or had an error. */
  readonly fail: number;
  readonly no_data: number;
  readonly waived: number;
}

export interface FailingRule {
  readonly rule_id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly status: 'Fail' | 'Error';
  readonly violation_count: number;
}

export interface Score {
  /**
   * Share of passed rules among those with data, 0..1; a rule with an error has not passed, and one that
   * passes only because of decisions about its findings is left out. Null, which means unknown, if none is
   * left.
   */
  readonly overall_score: number | null;
  /**
   * The same, weighted by severity: critical 10, high 5, medium 3, low 1, info 0. Null if no rule with a
   * weight is left.
   */
  readonly weighted_score: number | null;
  /** Numbers of evaluated rules with data, including errors, and without data. */
  readonly rules_with_data: number;
  readonly rules_without_data: number;
  /** Of the rules with data, those that pass only because of decisions about their findings. */
  readonly rules_waived: number;
}

/** How current the last runs are. */
export interface Freshness {
  /** Time of the oldest of the last runs: no score is newer. Null if there is none. */
  readonly evaluated_at: string | null;
  /** Number of evaluated rules that depend on data which may have changed since their last run. */
  readonly outdated_rules: number;
}

export interface Posture extends Score, Freshness {
  /** `all` if none was requested. */
  readonly framework: string;
  readonly controls: readonly ControlPosture[];
  readonly by_severity: Readonly<Record<Severity, Tally>>;
  /** The failing rules, worst first. */
  readonly failing_rules: readonly FailingRule[];
  readonly note?: string;
}

const NO_DATA_NOTE = 'no rule had data to judge';
const WAIVED_NOTE = 'the findings of every rule with data are waived';

/** Disabled rules, and rules without a run, are excluded from every score. */
export function scoreOf(runs: readonly JudgedRule[]): Score {
  const evaluated = evaluatedOf(runs);
  const judged = evaluated.filter((run) => !isWithoutData(run));
  const scored = judged.filter((run) => !isPassedByDecision(run));
  const passed = scored.filter(isPassed);
  return {
    overall_score: share(passed.length, scored.length),
    weighted_score: share(weightOf(passed), weightOf(scored)),
    rules_with_data: judged.length,
    rules_without_data: evaluated.length - judged.length,
    rules_waived: judged.length - scored.length,
  };
}

export function postureOf(runs: readonly ScoredRule[], framework: string = ALL_FRAMEWORKS): Posture {
  const evaluated = evaluatedOf(runs);
  const score = scoreOf(runs);
  const note = noteFor(runs, evaluated, framework) ?? noteOn(score);
  return {
    framework,
    ...score,
    ...datingOf(runs),
    controls: controlsOf(runs, evaluated, framework),
    by_severity: bySeverity(evaluated),
    failing_rules: failingRules(evaluated),
    ...(note !== undefined && { note }),
  };
}

/** Disabled rules have no say. */
export function datingOf(runs: readonly ScoredRule[]): Freshness {
  const lastRuns = evaluatedOf(runs).flatMap(({ lastRun }) => lastRun ?? []);
  const [oldest = null] = lastRuns.map(({ evaluated_at: at }) => at).sort();
  const isOutdated = (run: LastRun | DatedRun): boolean => 'data_changed' in run && run.data_changed;
  return { evaluated_at: oldest, outdated_rules: lastRuns.filter(isOutdated).length };
}

/** Why there is no score over evaluated rules. */
function noteOn({ rules_with_data: judged, rules_waived: waived }: Score): string | undefined {
  if (judged === 0) return NO_DATA_NOTE;
  return judged === waived ? WAIVED_NOTE : undefined;
}

function noteFor(
  runs: readonly ScoredRule[],
  evaluated: readonly ScoredRule[],
  framework: string,
): string | undefined {
  if (runs.length === 0)
    return framework === ALL_FRAMEWORKS ? 'there are no rules' : `no rule is mapped to ${framework}`;
  return evaluated.length === 0 ? 'no rule is enabled' : undefined;
}

function controlsOf(
  runs: readonly ScoredRule[],
  evaluated: readonly ScoredRule[],
  framework: string,
): ControlPosture[] {
  const controls = new Map<string, { control: Rule['frameworks'][number]; runs: ScoredRule[] }>();
  for (const run of runs) {
    for (const control of run.rule.frameworks) {
      if (framework !== ALL_FRAMEWORKS && control.framework !== framework) continue;
      const name = `${control.framework}\0${control.control}`;
      const known = controls.get(name);
      if (known === undefined) controls.set(name, { control, runs: [run] });
      else if (!known.runs.includes(run)) known.runs.push(run);
    }
  }
  return [...controls.values()]
    .map(({ control, runs: own }) => controlPosture(control, own, evaluated))
    .sort(byControl);
}

function controlPosture(
  { framework, control, title = '' }: Rule['frameworks'][number],
  runs: readonly ScoredRule[],
  evaluated: readonly ScoredRule[],
): ControlPosture {
  const counts = tally(runs.filter((run) => evaluated.includes(run)));
  return {
    framework,
    control_id: control,
    title,
    status: controlStatus(counts),
    rule_count: counts.total,
    pass_count: counts.pass,
    fail_count: counts.fail,
    error_count: runs.filter((run) => evaluated.includes(run) && isInError(run)).length,
    no_data_count: counts.no_data,
    waived_count: counts.waived,
  };
}

function controlStatus({ total, pass, fail, no_data: noData, waived }: Tally): ControlStatus {
  if (total === 0) return 'NotMapped';
  if (noData === total) return 'NoData';
  if (pass === total) return 'Pass';
  if (pass + waived === total) return 'Waived';
  return pass === 0 && fail > 0 ? 'Fail' : 'Partial';
}

/** Natural order: 4.2 before 4.10. */
function byControl(a: ControlPosture, b: ControlPosture): number {
  if (a.framework !== b.framework) return a.framework < b.framework ? -1 : 1;
  return a.control_id.localeCompare(b.control_id, 'en', { numeric: true });
}

function bySeverity(evaluated: readonly ScoredRule[]): Record<Severity, Tally> {
  const of = (severity: Severity): Tally => tally(evaluated.filter(({ rule }) => rule.severity === severity));
  return {
    critical: of('critical'),
    high: of('high'),
    medium: of('medium'),
    low: of('low'),
    info: of('info'),
  };
}

function failingRules(evaluated: readonly ScoredRule[]): FailingRule[] {
  return evaluated
    .flatMap(({ rule: { id, name, severity }, lastRun }) => {
      if (lastRun?.status !== 'Fail' && lastRun?.status !== 'Error') return [];
      const { status, violation_count } = lastRun;
      return [{ rule_id: id, name, severity, status, violation_count }];
    })
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

function tally(runs: readonly ScoredRule[]): Tally {
  const pass = runs.filter((run) => isPassed(run) && !isPassedByDecision(run)).length;
  const noData = runs.filter(isWithoutData).length;
  const waived = runs.filter(isPassedByDecision).length;
  return { total: runs.length, pass, fail: runs.length - pass - noData - waived, no_data: noData, waived };
}

function isWithoutData({ lastRun }: JudgedRule): boolean {
  return lastRun?.status === 'NoData';
}

function isInError({ lastRun }: ScoredRule): boolean {
  return lastRun?.status === 'Error';
}

function evaluatedOf<Run extends JudgedRule>(runs: readonly Run[]): readonly Run[] {
  return runs.filter(({ rule, lastRun }) => rule.enabled && lastRun !== undefined);
}

function isPassed({ lastRun }: JudgedRule): boolean {
  return lastRun?.status === 'Pass';
}

/** Whether the rule would fail without the decisions about its findings. */
export function isPassedByDecision({ rule, lastRun }: JudgedRule): boolean {
  if (lastRun?.status !== 'Pass') return false;
  const { violation_count: counted, decided_count: decided = 0 } = lastRun;
  return decided > 0 && !isMet(rule.expect, counted + decided);
}

function weightOf(runs: readonly JudgedRule[]): number {
  return runs.reduce((sum, { rule }) => sum + WEIGHTS[rule.severity], 0);
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
