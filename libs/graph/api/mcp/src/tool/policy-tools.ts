import { z } from 'zod';
import { isMapped, postureOf, type RatedRule } from '#graph/policy';
import { cutOf, fittedItems } from '../answers/fitted-items.ts';
import { COUNT, CUT, limit, NAME, RECORD, RECORDS, SHORTENED } from './shapes.ts';
import { defineTool, type Tool, type ToolContext } from './tool.ts';

const FINDINGS_LIMIT = 20;
const CONTROLS_BYTES_MAX = 32 * 1024;
const NULLABLE_SCORE = z.number().nullable().describe('0 to 1; null when no rule had data');

export const POSTURE_TOOL: Tool = defineTool({
  name: 'posture',
  requires: 'read',
  keepsScope: true,
  title: 'How well rules and controls are met',
  description: `Gives scores over the last evaluation of each rule, the controls of frameworks (Pass, Fail, Partial, NoData, NotMapped)
and the rules that fail, worst first. It evaluates nothing: rules that were never evaluated are counted in
not_evaluated and are in no score. Ask findings for what a rule finds now. With framework, its rules alone.
Example: {"framework": "CIS-Controls-v8"}`,
  input: z.strictObject({ framework: NAME.optional() }),
  output: z.looseObject({
    framework: z.string(),
    evaluated_at: z.string().nullable(),
    overall_score: NULLABLE_SCORE,
    weighted_score: NULLABLE_SCORE,
    not_evaluated: z.int(),
    frameworks: z.array(z.string()).describe('those that there are'),
    controls: RECORDS,
    failing_rules: RECORDS,
    by_severity: RECORD,
    note: z.string().optional(),
    cut: CUT,
  }),
  answer: async ({ framework }, context) => {
    const all = await context.answers.rules(context.signal);
    const rules = mappedTo(all, framework);
    const posture = postureOf(rules.map(runOf), framework);
    const failing = fittedItems(posture.failing_rules, CONTROLS_BYTES_MAX).items;
    const controls = fittedItems(posture.controls, CONTROLS_BYTES_MAX).items;
    const of = posture.failing_rules.length + posture.controls.length;
    const cut = cutOf(failing.length + controls.length, of, of, 'name a framework');
    return {
      ...posture,
      failing_rules: failing,
      controls,
      not_evaluated: rules.filter(({ enabled, last_run: run }) => enabled && run === undefined).length,
      frameworks: frameworksOf(all),
      ...(cut !== undefined && { cut }),
    };
  },
});

export const FINDINGS_TOOL: Tool = defineTool({
  name: 'findings',
  requires: 'read',
  keepsScope: true,
  title: 'What rules find',
  description: `With rule: looks now at what that rule finds, each finding with the entity, whether it is waived, when it was first
seen, and a query that proves it; nothing is stored. Without rule: lists the rules with the status of their last
evaluation, failing ones first, to choose from.
Example: {"rule": "disk-encryption", "limit": 10}`,
  input: z.strictObject({
    rule: NAME.optional().describe('id of a rule'),
    framework: NAME.optional().describe('without rule: those that are mapped to it'),
    limit: limit(FINDINGS_LIMIT),
  }),
  output: z.looseObject({
    count: COUNT.describe('of rules, or of findings that are not waived'),
    rules: RECORDS.optional().describe('rule_id, name, severity, status, violation_count, remediation'),
    rule: RECORD.optional().describe('the rule that was looked at'),
    findings: RECORDS.optional(),
    cut: CUT,
    shortened: SHORTENED,
  }),
  answer: ({ rule, framework, limit: most }, context) =>
    rule === undefined ? ruleList(framework, most, context) : findingsOf(rule, most, context),
});

async function findingsOf(
  id: string,
  most: number,
  { answers, signal }: ToolContext,
): Promise<Record<string, unknown>> {
  const { findings, ...rule } = await answers.findings(id, most, signal);
  const { items, shortened } = fittedItems(findings);
  const cut = cutOf(items.length, rule.violation_count, most, 'run the query of the rule with conditions');
  return {
    count: rule.violation_count,
    rule: fittedItems([rule]).items[0] ?? { rule_id: id },
    findings: items,
    ...(cut !== undefined && { cut }),
    ...(shortened > 0 && { shortened }),
  };
}

async function ruleList(
  framework: string | undefined,
  most: number,
  { answers, signal }: ToolContext,
): Promise<Record<string, unknown>> {
  const rules = mappedTo(await answers.rules(signal), framework);
  const listed = [...rules].sort((a, b) => rank(b) - rank(a)).map(listedRule);
  const { items } = fittedItems(listed.slice(0, most));
  const cut = cutOf(items.length, rules.length, most, 'raise limit, or name a framework');
  return { count: rules.length, rules: items, ...(cut !== undefined && { cut }) };
}

const STATUS_RANKS = { Fail: 3, Error: 2, NoData: 1, Pass: 0 } as const;

function rank({ last_run: run }: RatedRule): number {
  return run === undefined ? 1 : STATUS_RANKS[run.status];
}

function listedRule({
  id,
  name,
  severity,
  description,
  remediation,
  enabled,
  last_run: run,
}: RatedRule): object {
  return {
    rule_id: id,
    name,
    severity,
    status: enabled ? (run?.status ?? 'never evaluated') : 'disabled',
    violation_count: run?.violation_count ?? null,
    evaluated_at: run?.evaluated_at ?? null,
    description,
    remediation,
  };
}

function mappedTo(rules: readonly RatedRule[], framework: string | undefined): readonly RatedRule[] {
  if (framework === undefined) return rules;
  return rules.filter((rule) => isMapped(rule, framework));
}

function runOf(rule: RatedRule): Parameters<typeof postureOf>[0][number] {
  return { rule, lastRun: rule.last_run };
}

function frameworksOf(rules: readonly RatedRule[]): readonly string[] {
  return [...new Set(rules.flatMap((rule) => rule.frameworks.map((control) => control.framework)))].sort();
}
