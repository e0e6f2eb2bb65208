/** Reads what comes to the paths of policies. Throws INVALID_REQUEST, or POLICY_INVALID for rules. */
import {
  FieldPath,
  isAbsent,
  isJsonObject,
  type JsonObject,
  jsonObject,
  refuseUnknownFields,
} from '#graph/model';
import {
  type EvaluationRequest,
  jsonSource,
  type ParameterValue,
  parseRule,
  parseRules,
  type Rule,
  type RuleSource,
  SEVERITIES,
  type Severity,
  VIOLATIONS_MAX,
  yamlSource,
} from '#graph/policy';
import { DomainError } from '#platform/foundation';
import { TextBody } from '#platform/http';

const EVALUATION_FIELDS = new Set(['rule_ids', 'frameworks', 'severity_min', 'params', 'limit']);
const TEXTS_MAX = 10_000;
const ROOT = new FieldPath();

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

export function parseEvaluationRequest(body: unknown): EvaluationRequest {
  const object = jsonObject(body ?? {}, ROOT, 'body');
  refuseUnknownFields(object, EVALUATION_FIELDS, ROOT);
  return {
    ruleIds: textsOf(object['rule_ids'], 'rule_ids'),
    frameworks: textsOf(object['frameworks'], 'frameworks'),
    severityMin: severityOf(object['severity_min'], 'severity_min'),
    params: paramsOf(object['params']),
    limit: limitOf(object['limit']),
  };
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

export function severityOf(value: unknown, field: string): Severity | undefined {
  if (isAbsent(value)) return undefined;
  const severity = SEVERITIES.find((each) => each === value);
  if (severity !== undefined) return severity;
  throw ROOT.fault(field, `expected one of ${SEVERITIES.join(', ')}`);
}

function textsOf(value: unknown, field: string): readonly string[] | undefined {
  if (isAbsent(value)) return undefined;
  if (isTexts(value) && value.length <= TEXTS_MAX) return value;
  throw ROOT.fault(field, 'expected a list of texts');
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

const LARGE_INTEGER = `expected an integer from -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}; send a larger one as a string`;

/** One that a number would round comes as a bigint. */
function isLargeInteger(value: unknown): boolean {
  return typeof value === 'bigint';
}

/** Kinds are checked against each rule's parameters. */
function paramsOf(value: unknown): Readonly<Record<string, ParameterValue>> | undefined {
  if (isAbsent(value)) return undefined;
  if (isJsonObject(value)) {
    const large = Object.keys(value).find((name) => [value[name]].flat().some(isLargeInteger));
    if (large !== undefined) throw ROOT.fault(`params.${large}`, LARGE_INTEGER);
    return value as Readonly<Record<string, ParameterValue>>;
  }
  throw new DomainError('INVALID_REQUEST', 'params: expected an object', { details: { field: 'params' } });
}

function limitOf(value: unknown): number | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= VIOLATIONS_MAX)
    return value;
  throw ROOT.fault('limit', `expected a whole number from 0 to ${VIOLATIONS_MAX}`);
}
