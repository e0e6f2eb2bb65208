/** The format of a rule file: types, checks, defaults and reference from one description. */
import { FieldPath, parseEntity, parseRelationship } from '#graph/model';
import { PARAMETER_VALUES_SHAPE, PARAMETERS_SHAPE } from '#graph/query';
import {
  array,
  boolean,
  checked,
  integer,
  object,
  oneOf,
  optional,
  orEmpty,
  refuse,
  required,
  type Shape,
  text,
  withDefault,
} from '#platform/config';
import { DomainError, momentMs } from '#platform/foundation';
import { type Expectation, SEVERITIES } from './rule.ts';
import { parseSchedule } from './schedule.ts';

/** Maximum number of rules in a source. */
export const RULES_MAX = 10_000;
const ITEMS_MAX = 1_000;
const TEXT_LENGTH_MAX = 65_536;
const ID = /^[a-z0-9][a-z0-9._-]{0,127}$/;
/** Words used in place of an id in the paths of the service. */
const RESERVED: ReadonlySet<string> = new Set(['posture', 'evaluate', 'evaluations']);

const words = checked(text(), (value) => {
  if (value.trim() === '') return 'expected a text, got an empty one';
  if (value.length > TEXT_LENGTH_MAX) return `expected a text of at most ${TEXT_LENGTH_MAX} characters`;
  return value.isWellFormed() && !value.includes('\0') ? undefined : 'expected well-formed text without NUL';
});

/** A possibly empty text. */
const prose: Shape<string> = {
  ...words,
  read: (value, at) => (value === '' ? value : words.read(value, at)),
};

/** Why `read` rejects a value; undefined if it accepts the value. */
function refusalOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error.message;
    throw error;
  }
}

function list<T>(item: Shape<T>): Shape<readonly T[]> {
  return array(item, { min: 0, max: ITEMS_MAX });
}

const id = checked(text(), (value) => {
  if (!ID.test(value)) return 'expected lower-case letters, digits, dots, - and _, a letter or digit first';
  return RESERVED.has(value) ? `${value} is reserved` : undefined;
});

const expectation: Shape<Expectation> = {
  expects: '`{rows: n}`, `{max: n}` or `{min: n}`',
  read: (value, at) => {
    const count = optional(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), '');
    const given = object({ rows: count, max: count, min: count }).read(value, at);
    if (given === undefined) return undefined;
    const { rows, max, min } = given;
    if (Object.keys(given).length !== 1) {
      refuse(at, 'one of rows, max and min');
      return undefined;
    }
    if (rows !== undefined) return { rows };
    return max === undefined ? { min: min ?? 0 } : { max };
  },
};

const framework = object({
  framework: required(words, 'its name, such as `CIS-Controls-v8`'),
  control: required(words, 'the number of the control in the framework'),
  title: orEmpty(optional(words, 'the title of the control')),
});

const expiry: Shape<string> = {
  ...checked(words, (value) =>
    momentMs(value) === undefined ? 'expected a date such as 2027-01-01, or an RFC 3339 instant' : undefined,
  ),
  expects: 'a date, or an RFC 3339 instant',
};

const exception = object({
  match: required(
    words,
    'a condition as after WITH; for a grouped query as after HAVING; in Cypher, on the columns of a row',
  ),
  reason: required(words, 'why'),
  approver: orEmpty(optional(words, 'the approving person')),
  expires: orEmpty(optional(expiry, 'the end of the exception')),
});

function recordOf(parse: (value: unknown, path: FieldPath) => unknown): Shape<unknown> {
  const anything: Shape<unknown> = { expects: 'a record as in the body of a write', read: (value) => value };
  return checked(anything, (value) => refusalOf(() => parse(value, new FieldPath())));
}

const ruleTest = object({
  name: required(words, 'the name of the test'),
  entities: orEmpty(withDefault(list(recordOf(parseEntity)), [], 'as in the body of a write')),
  relationships: orEmpty(withDefault(list(recordOf(parseRelationship)), [], 'as in the body of a write')),
  params: orEmpty(withDefault(PARAMETER_VALUES_SHAPE, {}, 'by name')),
  expect: required(
    object({
      status: required(oneOf(['pass', 'fail', 'error']), 'the expected outcome of the rule'),
      violations: orEmpty(optional(list(words), 'keys of all unwaived violations, in any order')),
    }),
    'the expected result',
  ),
});

export const RULE_SHAPE = object({
  id: required(id, 'unique; not `posture`, `evaluate`, `evaluations`'),
  name: orEmpty(optional(words, 'the displayed name; default: the id')),
  severity: orEmpty(withDefault(oneOf(SEVERITIES), 'medium', 'weights 10, 5, 3, 1, 0')),
  description: orEmpty(withDefault(prose, '', 'the purpose of the rule')),
  query: orEmpty(
    optional(
      words,
      'PQL without SKIP and LIMIT: a rule covers all results; RETURN and ORDER BY have no effect',
    ),
  ),
  cypher: orEmpty(
    optional(words, 'in place of `query`: a Cypher statement that only reads; each row is a result'),
  ),
  population: orEmpty(
    optional(
      words,
      'the entities that could violate the rule, in the language of the rule; returns `{total, passing}`',
    ),
  ),
  parameters: orEmpty(withDefault(PARAMETERS_SHAPE, {}, 'a parameter without a default must be given')),
  expect: orEmpty(
    withDefault(expectation, { rows: 0 }, 'exactly `rows`, at most `max`, at least `min` unwaived results'),
  ),
  identity: orEmpty(
    withDefault(
      list(words),
      [],
      'fields of the entity that identify a finding across runs, such as `[name]`',
    ),
  ),
  frameworks: orEmpty(withDefault(list(framework), [], 'the controls covered by the rule')),
  tags: orEmpty(withDefault(list(words), [], 'tags for filters')),
  schedule: orEmpty(
    withDefault(
      checked(words, (value) => refusalOf(() => parseSchedule(value))),
      'manual',
      '`manual`, `every:15m`, `cron:0 6 * * *` (UTC), `on_sync:<connector>`, `on_sync:*` (every sync)',
    ),
  ),
  remediation: orEmpty(withDefault(prose, '', 'how to fix a violation')),
  exceptions: orEmpty(withDefault(list(exception), [], 'waived violations; they stay visible')),
  enabled: orEmpty(withDefault(boolean(), true, 'a disabled rule is `Skipped`')),
  may_be_absent: orEmpty(
    withDefault(list(words), [], 'names in the queries that may be absent from the data'),
  ),
  tests: orEmpty(withDefault(list(ruleTest), [], 'small graphs with the expected outcome of the rule')),
});

export const RULE_SET_SHAPE = object({
  version: orEmpty(optional(integer({ min: 1, max: 1 }), 'of the format')),
  rules: required(array(RULE_SHAPE, { min: 0, max: RULES_MAX }), 'the rules'),
});
