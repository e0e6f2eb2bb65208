import { type Rule, SEVERITIES, type Severity } from '../rule/rule.ts';
import type { LastRun } from '../service/evaluation.ts';

const WEIGHTS: Readonly<Record<Severity, number>> = { critical: 10, high: 5, medium: 3, low: 1, info: 0 };

export interface RuleRun {
  readonly rule: Rule;
  readonly lastRun: LastRun | undefined;
}

/** `NotMapped`: no rule of the control has been evaluated. */
export type ControlStatus = 'Pass' | 'Fail' | 'Partial' | 'NotMapped';

export interface ControlPosture {
  readonly framework: string;
  readonly control_id: string;
  readonly title: string;
  readonly status: ControlStatus;
  readonly rule_count: number;
  readonly pass_count: number;
  readonly fail_count: number;
}

interface Tally {
  readonly total: number;
  readonly pass: number;
  readonly fail: number;
}

export interface FailingRule {
  readonly rule_id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly status: 'Fail' | 'Error';
  readonly violation_count: number;
}

export interface Posture {
  /** `all` when none was asked for. */
  readonly framework: string;
  /** Passed of evaluated rules, 0..1; a rule in error has not passed. */
  readonly overall_score: number;
  /** The same by weight of severity: critical 10, high 5, medium 3, low 1, info 0. */
  readonly weighted_score: number;
  /** Of the latest run; null when there is none. */
  readonly evaluated_at: string | null;
  readonly controls: readonly ControlPosture[];
  readonly by_severity: Readonly<Record<Severity, Tally>>;
  /** Worst first. */
  readonly failing_rules: readonly FailingRule[];
  readonly note?: string;
}

/** Disabled rules, and those that never ran, are left out of every score. */
export function postureOf(runs: readonly RuleRun[], framework?: string): Posture {
  const evaluated = runs.filter(({ rule, lastRun }) => rule.enabled && lastRun !== undefined);
  const passed = evaluated.filter(isPassed);
  const note = noteFor(runs, evaluated, framework);
  return {
    framework: framework ?? 'all',
    overall_score: share(passed.length, evaluated.length),
    weighted_score: share(weightOf(passed), weightOf(evaluated)),
    evaluated_at:
      evaluated
        .map(({ lastRun }) => lastRun?.evaluated_at ?? '')
        .sort()
        .at(-1) ?? null,
    controls: controlsOf(runs, evaluated, framework),
    by_severity: bySeverity(evaluated),
    failing_rules: failingRules(evaluated),
    ...(note !== undefined && { note }),
  };
}

function noteFor(
  runs: readonly RuleRun[],
  evaluated: readonly RuleRun[],
  framework?: string,
): string | undefined {
  if (runs.length === 0)
    return framework === undefined ? 'there are no rules' : `no rule is mapped to ${framework}`;
  return evaluated.length === 0 ? 'no rule is enabled' : undefined;
}

function controlsOf(
  runs: readonly RuleRun[],
  evaluated: readonly RuleRun[],
  framework?: string,
): ControlPosture[] {
  const controls = new Map<string, { control: Rule['frameworks'][number]; runs: RuleRun[] }>();
  for (const run of runs) {
    for (const control of run.rule.frameworks) {
      if (framework !== undefined && control.framework !== framework) continue;
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
  runs: readonly RuleRun[],
  evaluated: readonly RuleRun[],
): ControlPosture {
  const { total, pass, fail } = tally(runs.filter((run) => evaluated.includes(run)));
  const status = controlStatus(total, pass);
  return {
    framework,
    control_id: control,
    title,
    status,
    rule_count: total,
    pass_count: pass,
    fail_count: fail,
  };
}

function controlStatus(total: number, pass: number): ControlStatus {
  if (total === 0) return 'NotMapped';
  if (pass === total) return 'Pass';
  return pass === 0 ? 'Fail' : 'Partial';
}

/** 4.2 stands before 4.10. */
function byControl(a: ControlPosture, b: ControlPosture): number {
  if (a.framework !== b.framework) return a.framework < b.framework ? -1 : 1;
  return a.control_id.localeCompare(b.control_id, 'en', { numeric: true });
}

function bySeverity(evaluated: readonly RuleRun[]): Record<Severity, Tally> {
  const of = (severity: Severity): Tally => tally(evaluated.filter(({ rule }) => rule.severity === severity));
  return {
    critical: of('critical'),
    high: of('high'),
    medium: of('medium'),
    low: of('low'),
    info: of('info'),
  };
}

function failingRules(evaluated: readonly RuleRun[]): FailingRule[] {
  return evaluated
    .flatMap(({ rule: { id, name, severity }, lastRun }) => {
      if (lastRun === undefined || lastRun.status === 'Pass') return [];
      const { status, violation_count } = lastRun;
      return [{ rule_id: id, name, severity, status, violation_count }];
    })
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

function tally(runs: readonly RuleRun[]): Tally {
  const pass = runs.filter(isPassed).length;
  return { total: runs.length, pass, fail: runs.length - pass };
}

function isPassed({ lastRun }: RuleRun): boolean {
  return lastRun?.status === 'Pass';
}

function weightOf(runs: readonly RuleRun[]): number {
  return runs.reduce((sum, { rule }) => sum + WEIGHTS[rule.severity], 0);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
