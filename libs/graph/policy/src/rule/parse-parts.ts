/** The parts of a rule, read and checked. */
import { isJsonObject, parseEntity, parseRelationship, FieldPath } from '#graph/model';
import { isParameterValue } from './parameter-value.ts';
import type { RuleNode } from './rule-node.ts';
import type {
  Expectation,
  FrameworkControl,
  ParameterType,
  ParameterValue,
  RuleException,
  RuleParameter,
  RuleTest,
} from './rule.ts';

const ITEMS_MAX = 1_000;
const NAME = /^[A-Za-z_]\w{0,63}$|^[1-9]\d{0,2}$/;
const TYPES: readonly ParameterType[] = ['string', 'number', 'boolean', 'list'];
const INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

export function readExpectation(node: RuleNode): Expectation {
  if (node.isAbsent) return { rows: 0 };
  const given = node.map(['rows', 'max', 'min']).children();
  if (given.length !== 1) throw node.fault('expected one of rows, max and min');
  const [name = ''] = node.names();
  const count = node.at(name).count();
  if (name === 'rows') return { rows: count };
  return name === 'max' ? { max: count } : { min: count };
}

export function readParameters(node: RuleNode): Record<string, RuleParameter> {
  const parameters: Record<string, RuleParameter> = {};
  for (const name of node.names()) {
    const entry = node.at(name);
    if (!NAME.test(name)) throw entry.fault('expected a parameter name, as after $ in the query');
    parameters[name] = readParameter(entry.map(['type', 'default']));
  }
  return parameters;
}

function readParameter(node: RuleNode): RuleParameter {
  const type = node.at('type').word(TYPES);
  const fallback = node.at('default');
  if (fallback.value === undefined) return { type };
  return { type, default: readParameterValue(fallback, type) };
}

function readParameterValue(node: RuleNode, type: ParameterType): ParameterValue {
  if (isParameterValue(node.value, type)) return node.value;
  throw node.fault(`expected a ${type}`);
}

export function readFrameworks(node: RuleNode): FrameworkControl[] {
  return node.items(ITEMS_MAX).map((item) => {
    item.map(['framework', 'control', 'title']);
    const title = item.at('title').optionalText();
    const framework = item.at('framework').text();
    return { framework, control: item.at('control').text(), ...(title !== undefined && { title }) };
  });
}

export function readExceptions(node: RuleNode): RuleException[] {
  return node.items(ITEMS_MAX).map((item) => {
    item.map(['match', 'reason', 'approver', 'expires']);
    const approver = item.at('approver').optionalText();
    const expires = item.at('expires').optionalText();
    if (expires !== undefined && (!INSTANT.test(expires) || Number.isNaN(Date.parse(expires)))) {
      throw item.at('expires').fault('expected a date such as 2027-01-01, or an RFC 3339 instant');
    }
    return {
      match: item.at('match').text(),
      reason: item.at('reason').text(),
      ...(approver !== undefined && { approver }),
      ...(expires !== undefined && { expires }),
    };
  });
}

export function readTexts(node: RuleNode): string[] {
  return node.items(ITEMS_MAX).map((item) => item.text());
}

export function readTests(node: RuleNode): RuleTest[] {
  return node.items(ITEMS_MAX).map((item) => {
    item.map(['name', 'entities', 'relationships', 'params', 'expect']);
    const expect = item.at('expect').map(['status', 'violations']);
    const violations = expect.at('violations');
    return {
      name: item.at('name').text(),
      entities: readRecords(item.at('entities'), parseEntity),
      relationships: readRecords(item.at('relationships'), parseRelationship),
      params: readTestParams(item.at('params')),
      expect: {
        status: expect.at('status').word(['pass', 'fail', 'error']),
        ...(!violations.isAbsent && { violations: readTexts(violations) }),
      },
    };
  });
}

function readRecords(node: RuleNode, parse: (value: unknown, path: FieldPath) => unknown): unknown[] {
  return node.items(ITEMS_MAX).map((item) => {
    item.checked(() => parse(item.value, new FieldPath()));
    return item.value;
  });
}

function readTestParams(node: RuleNode): Record<string, ParameterValue> {
  const params: Record<string, ParameterValue> = {};
  for (const name of node.names()) {
    const { value } = node.at(name);
    const isFit = !isJsonObject(value) && TYPES.some((type) => isParameterValue(value, type));
    if (!isFit) throw node.at(name).fault('expected a scalar or a list of scalars');
    params[name] = value as ParameterValue;
  }
  return params;
}
