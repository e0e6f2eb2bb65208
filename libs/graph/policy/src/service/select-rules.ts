import { DomainError } from '#platform/foundation';
import { boundParameters } from '../evaluation/parameters.ts';
import { type Rule, SEVERITIES } from '../rule/rule.ts';
import type { EvaluationRequest } from './evaluation.ts';

/** The rules that a request means. INVALID_REQUEST for an id, framework or parameter that no rule has. */
export function selectRules(rules: readonly Rule[], request: EvaluationRequest): readonly Rule[] {
  const { ruleIds, frameworks, severityMin = 'info', params = {} } = request;
  const unknown = ruleIds?.find((id) => !rules.some((rule) => rule.id === id));
  if (unknown !== undefined) throw refusal('rule_ids', `no rule ${unknown}`);
  const unmapped = frameworks?.find((framework) => !rules.some((rule) => isMapped(rule, framework)));
  if (unmapped !== undefined) throw refusal('frameworks', `no rule is mapped to ${unmapped}`);
  const rank = SEVERITIES.indexOf(severityMin);
  const selected = rules.filter(
    (rule) =>
      (ruleIds === undefined || ruleIds.includes(rule.id)) &&
      (frameworks === undefined || frameworks.some((framework) => isMapped(rule, framework))) &&
      SEVERITIES.indexOf(rule.severity) <= rank,
  );
  for (const rule of selected) boundParameters(rule, params);
  const idle = Object.keys(params).find(
    (name) => !selected.some(({ parameters }) => Object.hasOwn(parameters, name)),
  );
  if (idle !== undefined) throw refusal(`params.${idle}`, 'no selected rule has this parameter');
  return selected;
}

function isMapped({ frameworks }: Rule, framework: string): boolean {
  return frameworks.some((control) => control.framework === framework);
}

function refusal(field: string, message: string): DomainError {
  return new DomainError('INVALID_REQUEST', `${field}: ${message}`, { details: { field } });
}
