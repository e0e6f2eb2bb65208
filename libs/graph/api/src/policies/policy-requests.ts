/** Reads rules that come in a body: documents, like those of rule files. Throws POLICY_INVALID. */
import { isJsonObject, type JsonObject } from '#graph/model';
import { jsonSource, parseRule, parseRules, type Rule, type RuleSource, yamlSource } from '#graph/policy';
import { DomainError } from '#platform/foundation';
import { TextBody } from '#platform/http';

/** What replies show besides; passed over, so that rules can be sent back as they were shown. */
const READ_ONLY_OF_SET = ['count'];
const READ_ONLY_OF_RULE = ['origin', 'last_run'];

/** A set of rules, as JSON or as the text of a rule file. */
export function parseRulesBody(body: unknown): readonly Rule[] {
  return parseRules(
    withoutReadOnly(body instanceof TextBody ? yamlSource(body.text, 'body') : jsonSource(body)),
  );
}

/** One rule, whose id is in the path and may be in the body. */
export function parseRuleBody(id: string, body: unknown): Rule {
  const rule = parseRule(jsonSource(isJsonObject(body) ? { id, ...without(body, READ_ONLY_OF_RULE) } : body));
  if (rule.id === id) return rule;
  throw new DomainError('POLICY_INVALID', `id: expected ${id}, as in the path`, { details: { field: 'id' } });
}

function withoutReadOnly(source: RuleSource): RuleSource {
  if (!isJsonObject(source.value)) return source;
  const { rules, ...set } = without(source.value, READ_ONLY_OF_SET);
  const kept = Array.isArray(rules) ? rules.map((rule) => without(rule, READ_ONLY_OF_RULE)) : rules;
  return { ...source, value: { ...set, ...(rules !== undefined && { rules: kept }) } };
}

function without(value: JsonObject, names: readonly string[]): JsonObject;
function without(value: unknown, names: readonly string[]): unknown;
function without(value: unknown, names: readonly string[]): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
