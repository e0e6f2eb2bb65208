import { isRecordField } from '#graph/query';
import type { DomainError } from '#platform/foundation';
import {
  readExceptions,
  readExpectation,
  readFrameworks,
  readParameters,
  readTests,
  readTexts,
} from './parse-parts.ts';
import { RuleNode } from './rule-node.ts';
import { compileException, compileQuery, type RuleQuery } from './rule-query.ts';
import type { RuleSource } from './rule-source.ts';
import { type Rule, type RuleParameter, SEVERITIES } from './rule.ts';
import { parseSchedule } from './schedule.ts';

/** So many rules a source may have. */
export const RULES_MAX = 10_000;
const ID = /^[a-z0-9][a-z0-9._-]{0,127}$/;
/** Words that stand in the place of an id in the paths of the service. */
const RESERVED: ReadonlySet<string> = new Set(['posture', 'evaluate', 'evaluations']);
const SET_KEYS = ['version', 'rules'];
const RULE_KEYS = [
  'id',
  'name',
  'severity',
  'description',
  'query',
  'population',
  'parameters',
  'expect',
  'identity',
  'frameworks',
  'tags',
  'schedule',
  'remediation',
  'exceptions',
  'enabled',
  'may_be_absent',
  'tests',
];

/** Reads `{version?: 1, rules: […]}`, all or nothing: POLICY_INVALID names the first fault's place. */
export function parseRules(source: RuleSource): Rule[] {
  const root = RuleNode.root(source).map(SET_KEYS);
  const version = root.at('version');
  if (!version.isAbsent && version.value !== 1) throw version.fault('expected 1');
  if (root.at('rules').isAbsent) throw root.fault('expected a list of rules under `rules`');
  const ids = new Set<string>();
  return root
    .at('rules')
    .items(RULES_MAX)
    .map((node) => {
      const rule = readRule(node);
      if (ids.has(rule.id)) throw node.at('id').fault(`duplicate id ${rule.id}`);
      ids.add(rule.id);
      return rule;
    });
}

/** Reads one rule. Throws POLICY_INVALID. */
export function parseRule(source: RuleSource): Rule {
  return readRule(RuleNode.root(source));
}

function readRule(node: RuleNode): Rule {
  node.map(RULE_KEYS);
  const id = readId(node.at('id'));
  const population = node.at('population').optionalText();
  const rule: Rule = {
    id,
    name: node.at('name').optionalText() ?? id,
    severity: node.at('severity').isAbsent ? 'medium' : node.at('severity').word(SEVERITIES),
    description: node.at('description').prose(),
    query: node.at('query').text(),
    ...(population !== undefined && { population }),
    parameters: readParameters(node.at('parameters')),
    expect: readExpectation(node.at('expect')),
    identity: readTexts(node.at('identity')),
    frameworks: readFrameworks(node.at('frameworks')),
    tags: readTexts(node.at('tags')),
    schedule: node.at('schedule').optionalText() ?? 'manual',
    remediation: node.at('remediation').prose(),
    exceptions: readExceptions(node.at('exceptions')),
    enabled: node.at('enabled').flag(true),
    may_be_absent: readTexts(node.at('may_be_absent')),
    tests: readTests(node.at('tests')),
  };
  checkQueries(node, rule);
  node.at('schedule').checked(() => parseSchedule(rule.schedule));
  return rule;
}

function readId(node: RuleNode): string {
  const id = node.text();
  if (!ID.test(id))
    throw node.fault('expected lower-case letters, digits, dots, - and _, a letter or digit first');
  if (RESERVED.has(id)) throw node.fault(`${id} is reserved`);
  return id;
}

function checkQueries(node: RuleNode, rule: Rule): void {
  const main = compiled(node.at('query'), compileQuery, rule);
  const used = new Set(main.parameters);
  if (rule.population !== undefined) {
    const population = compiled(node.at('population'), compileQuery, rule);
    if (population.shape !== 'entities') throw node.at('population').fault('expected a query for entities');
    for (const name of population.parameters) used.add(name);
  }
  if (main.shape !== 'entities' && rule.identity.length > 0) {
    throw node.at('identity').fault('groups and paths have an identity of their own: leave it out');
  }
  checkIdentity(node.at('identity'));
  for (const item of node.at('exceptions').items(Infinity)) {
    const read = (match: string): RuleQuery => compileException(rule.query, match);
    for (const name of compiled(item.at('match'), read, rule).parameters) used.add(name);
  }
  const idle = Object.keys(rule.parameters).find((name) => !used.has(name));
  if (idle !== undefined) throw node.at('parameters').at(idle).fault(`no query of this rule names $${idle}`);
}

/** Fields that begin with `_` are the record's own: data cannot add to them. */
function checkIdentity(node: RuleNode): void {
  for (const item of node.items(Infinity)) {
    const field = item.text();
    if (field.startsWith('_') && !isRecordField(field)) throw item.fault(`no record has the field ${field}`);
  }
}

function compiled(
  node: RuleNode,
  compile: (text: string) => RuleQuery,
  { parameters }: Pick<Rule, 'parameters'>,
): RuleQuery {
  const query = node.checked(() => compile(node.text()));
  const unbound = query.parameters.find((name) => !Object.hasOwn(parameters, name));
  if (unbound !== undefined) throw unboundFault(node, unbound, parameters);
  return query;
}

function unboundFault(
  node: RuleNode,
  name: string,
  parameters: Readonly<Record<string, RuleParameter>>,
): DomainError {
  const known = Object.keys(parameters).map((each) => `$${each}`);
  const hint = known.length === 0 ? 'the rule has no parameters' : `the rule has ${known.join(', ')}`;
  return node.fault(`unbound parameter $${name}: ${hint}`);
}
