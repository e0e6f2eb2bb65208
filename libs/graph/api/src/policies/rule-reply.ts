import type { BookedRule, LastRun, Policies, Rule, RuleOrigin } from '#graph/policy';
import type { RuleFilterDto } from './policy-query.dto.ts';

/** A rule as replies show it. */
export interface RuleReply extends Rule {
  readonly origin: RuleOrigin;
  readonly last_run?: LastRun;
}

export function ruleReply(policies: Policies, { rule, origin }: BookedRule): RuleReply {
  const lastRun = policies.history.lastRun(rule);
  return { ...rule, origin, ...(lastRun && { last_run: lastRun }) };
}

export function passesFilter({ rule, origin }: BookedRule, filter: RuleFilterDto): boolean {
  const { severity, framework, tag, enabled } = filter;
  return (
    (severity === undefined || rule.severity === severity) &&
    (framework === undefined || rule.frameworks.some((control) => control.framework === framework)) &&
    (tag === undefined || rule.tags.includes(tag)) &&
    (filter.origin === undefined || origin === filter.origin) &&
    (enabled === undefined || String(rule.enabled) === enabled)
  );
}
