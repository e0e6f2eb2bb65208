import { ReadingStatement } from '#graph/cypher';
import { isRecordField } from '#graph/query';
import { type DocumentPath, readPlaced, readShape, type Shape } from '#platform/config';
import type { DomainError } from '#platform/foundation';
import { compileException, compileQuery } from './rule-query.ts';
import { RULE_SET_SHAPE, RULE_SHAPE } from './rule-shape.ts';
import type { RuleSource } from './rule-source.ts';
import type { Rule } from './rule.ts';

/** Parses `{version?: 1, rules: […]}`, all or nothing: POLICY_INVALID has the position of the first error. */
export function parseRules(source: RuleSource): Rule[] {
  const { rules } = readSource(source, RULE_SET_SHAPE);
  const ids = new Set<string>();
  return rules.map((written, index) => {
    const place = new Place(source, ['rules', index]);
    const rule = checkedRule(place, written);
    if (ids.has(rule.id)) throw place.fault(['id'], `duplicate id ${rule.id}`);
    ids.add(rule.id);
    return rule;
  });
}

/** Parses one rule. Throws POLICY_INVALID. */
export function parseRule(source: RuleSource): Rule {
  return checkedRule(new Place(source, []), readSource(source, RULE_SHAPE));
}

function readSource<T>(source: RuleSource, shape: Shape<T>): T {
  return readShape(shape, source.value, ({ path, message, at }) => source.fault(path, message, at));
}

/** The position of a rule in its source. */
class Place {
  readonly #source: RuleSource;
  readonly #path: DocumentPath;

  constructor(source: RuleSource, path: DocumentPath) {
    this.#source = source;
    this.#path = path;
  }

  fault(path: DocumentPath, message: string): DomainError {
    return this.#source.fault([...this.#path, ...path], message);
  }

  /** Returns the result of `compile`; its error is reported at the position of the value. */
  compiled<Query extends { readonly parameters: readonly string[] }>(
    path: DocumentPath,
    compile: () => Query,
    { parameters }: Pick<Rule, 'parameters'>,
  ): Query {
    const query = readPlaced(compile, (message) => this.fault(path, message));
    const unbound = query.parameters.find((name) => !Object.hasOwn(parameters, name));
    if (unbound === undefined) return query;
    throw this.fault(path, `unbound parameter $${unbound}: ${parametersHint({ parameters })}`);
  }
}

function checkedRule(
  place: Place,
  { id, name = id, ...written }: Omit<Rule, 'name'> & { name?: string | undefined },
): Rule {
  const rule: Rule = { id, name, ...written };
  checkQueries(place, rule);
  return rule;
}

function checkQueries(place: Place, rule: Rule): void {
  const { query, cypher, identity, parameters } = rule;
  if ((query === undefined) === (cypher === undefined)) {
    throw place.fault(
      [],
      `expected one of query and cypher, got ${query === undefined ? 'neither' : 'both'}`,
    );
  }
  const used = new Set(query === undefined ? checkCypher(place, rule) : checkPql(place, rule, query));
  checkIdentity(place, identity);
  const idle = Object.keys(parameters).find((name) => !used.has(name));
  if (idle !== undefined) throw place.fault(['parameters', idle], `no query of this rule names $${idle}`);
}

/** Names of the parameters that the queries of the rule use. */
function checkPql(place: Place, rule: Rule, query: string): readonly string[] {
  const { population, identity, exceptions } = rule;
  const main = place.compiled(['query'], () => compileQuery(query), rule);
  const all = [main];
  if (population !== undefined) {
    const whole = place.compiled(['population'], () => compileQuery(population), rule);
    if (whole.shape !== 'entities') throw place.fault(['population'], 'expected a query for entities');
    all.push(whole);
  }
  if (main.shape !== 'entities' && identity.length > 0) {
    throw place.fault(['identity'], 'groups and paths have an identity of their own: leave it out');
  }
  for (const [index, { match }] of exceptions.entries()) {
    const path = ['exceptions', index, 'match'];
    all.push(place.compiled(path, () => compileException(query, match), rule));
  }
  return all.flatMap(({ parameters }) => parameters);
}

function checkCypher(place: Place, rule: Rule): readonly string[] {
  const { cypher = '', population, exceptions } = rule;
  const main = place.compiled(['cypher'], () => new ReadingStatement(cypher), rule);
  const whole =
    population === undefined
      ? undefined
      : place.compiled(['population'], () => new ReadingStatement(population), rule);
  const conditions = exceptions.map(({ match }, index) =>
    place.compiled(['exceptions', index, 'match'], () => main.condition(match), rule),
  );
  return [main, ...(whole === undefined ? [] : [whole]), ...conditions].flatMap(
    ({ parameters }) => parameters,
  );
}

/** Fields that start with `_` belong to the record: data cannot add any. */
function checkIdentity(place: Place, identity: readonly string[]): void {
  for (const [index, field] of identity.entries()) {
    if (field.startsWith('_') && !isRecordField(field))
      throw place.fault(['identity', index], `no record has the field ${field}`);
  }
}

function parametersHint({ parameters }: Pick<Rule, 'parameters'>): string {
  const known = Object.keys(parameters).map((each) => `$${each}`);
  return known.length === 0 ? 'the rule has no parameters' : `the rule has ${known.join(', ')}`;
}
