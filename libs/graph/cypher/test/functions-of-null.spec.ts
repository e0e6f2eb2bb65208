/** Each function with null at each of its arguments, as the manual of Neo4j has it. */
import { describe, expect, it } from '@jest/globals';
import { FUNCTION_GROUPS } from '../src/function/functions.ts';
import { valueOf } from './statement/run-statement.ts';

const INSTANTS = ['date', 'localtime', 'time', 'localdatetime', 'datetime'] as const;
const POINT = 'point({x: 1, y: 2})';

/** Arguments that each function takes. */
const ARGUMENTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    labels: ['head(COLLECT { MATCH (n) RETURN n })'],
    type: ['head([()-[r]->() | r])'],
    id: ['head(COLLECT { MATCH (n) RETURN n })'],
    elementId: ['head(COLLECT { MATCH (n) RETURN n })'],
    startNode: ['head([()-[r]->() | r])'],
    endNode: ['head([()-[r]->() | r])'],
    properties: ['{a: 1}'],
    keys: ['{a: 1}'],
    nodes: ['head([p = ()-->() | p])'],
    relationships: ['head([p = ()-->() | p])'],
    length: ['head([p = ()-->() | p])'],
    'db.nameFromElementId': ["'4:1'"],
    exists: ['1'],
    size: ['[1]'],
    head: ['[1]'],
    last: ['[1]'],
    tail: ['[1]'],
    reverse: ['[1]'],
    range: ['1', '2', '1'],
    isEmpty: ['[1]'],
    coalesce: ['1', '2'],
    valueType: ['1'],
    nullIf: ['1', '2'],
    round: ['1.55', '1', "'UP'"],
    atan2: ['1', '1'],
    point: ['{x: 1, y: 2}'],
    'point.distance': [POINT, POINT],
    distance: [POINT, POINT],
    'point.withinBBox': [POINT, POINT, POINT],
    trim: ["'a'", "'b'"],
    btrim: ["'a'", "'b'"],
    ltrim: ["'a'", "'b'"],
    rtrim: ["'a'", "'b'"],
    normalize: ["'a'", "'NFD'"],
    replace: ["'a'", "'a'", "'b'", '1'],
    split: ["'a'", "','"],
    left: ["'hello'", '2'],
    right: ["'hello'", '2'],
    substring: ["'hello'", '1', '2'],
    toStringList: ['[1]'],
    toIntegerList: ['[1]'],
    toFloatList: ['[1]'],
    toBooleanList: ['[true]'],
    toBoolean: ['true'],
    toBooleanOrNull: ['true'],
    duration: ["'P1D'"],
    'datetime.fromEpoch': ['1', '1'],
    'datetime.fromEpochMillis': ['1'],
    'vector.similarity.cosine': ['[1]', '[1]'],
    'vector.similarity.euclidean': ['[1]', '[1]'],
    ...Object.fromEntries(
      ['between', 'inMonths', 'inDays', 'inSeconds'].map((name) => [
        `duration.${name}`,
        ['date()', 'date()'],
      ]),
    ),
    ...Object.fromEntries(INSTANTS.map((kind) => [`${kind}.truncate`, ["'hour'", 'datetime()', '{}']])),
    ...Object.fromEntries(INSTANTS.map((kind) => [kind, ['datetime()']])),
    ...Object.fromEntries(
      INSTANTS.flatMap((kind) =>
        ['statement', 'transaction', 'realtime'].map((clock) => [`${kind}.${clock}`, ["'UTC'"]]),
      ),
    ),
    'date.truncate': ["'month'", 'datetime()', '{}'],
  }),
);

/** What is not null where an argument is: by the place of the argument, a value, or `an error`. */
const NOT_NULL: ReadonlyMap<string, readonly (string | undefined)[]> = new Map<
  string,
  readonly (string | undefined)[]
>(
  Object.entries({
    coalesce: ['2', '1'],
    exists: ['false'],
    valueType: ["'NULL'"],
    nullIf: [undefined, '1'],
    range: ['an error', 'an error', 'an error'],
    left: [undefined, 'an error'],
    right: [undefined, 'an error'],
    substring: [undefined, 'an error', 'an error'],
    'datetime.fromEpoch': ['an error', 'an error'],
    'datetime.fromEpochMillis': ['an error'],
    ...Object.fromEntries(INSTANTS.map((kind) => [`${kind}.truncate`, ['an error', 'an error', 'a value']])),
  }),
);

const WITHOUT_ARGUMENTS = ['pi', 'e', 'rand', 'randomUUID', 'timestamp'];

const functions = FUNCTION_GROUPS.flatMap(([, table]) => Object.keys(table));
const cases = functions
  .filter((name) => !WITHOUT_ARGUMENTS.includes(name))
  .flatMap((name) => {
    const args = ARGUMENTS.get(name) ?? ['0.5'];
    return args.map((_, place) => ({
      call: `${name}(${args.map((each, at) => (at === place ? 'null' : each)).join(', ')})`,
      expected: NOT_NULL.get(name)?.[place] ?? 'null',
    }));
  });

function kindOf(expression: string, expected: string): string {
  const value = valueOf(expression);
  if (expected !== 'an error' && expected !== 'a value') return value;
  const isError = / expected /.test(value);
  return isError ? 'an error' : value === 'null' ? 'null' : 'a value';
}

describe('a function of null', () => {
  it.each(cases)('$call is $expected', ({ call, expected }) => {
    expect(kindOf(call, expected)).toBe(expected);
  });

  it('is tried at every argument that a function may have', () => {
    const tried = FUNCTION_GROUPS.flatMap(([, table]) => Object.entries(table)).filter(
      ([name, { max }]) => max > 0 && max < Infinity && (ARGUMENTS.get(name) ?? ['0.5']).length !== max,
    );

    expect(tried.map(([name]) => name)).toEqual([]);
  });

  it.each([
    ['left(null, null)', 'null'],
    ['right(null, null)', 'null'],
    ['substring(null, null, null)', 'null'],
    ["substring('hello', null)", 'substring(): expected an Integer, got Null'],
    ["substring('hello', -1)", 'substring(): expected a number that is not negative, got -1'],
    ["split('a', [',', null])", 'null'],
    ["trim(null FROM 'a')", 'null'],
    ['trim(BOTH null FROM null)', 'null'],
    ["trim(' ' FROM null)", 'null'],
    ['point({x: 1, y: null})', 'null'],
    ['[1, 2, 3][null]', 'null'],
    ['[1, 2, 3][null..2]', 'null'],
    ['{age: 25}[null]', 'null'],
    ['null IN []', 'false'],
    ['null IN [1, null]', 'null'],
    ['1 IS NORMALIZED', 'null'],
    ['1 IS NOT NORMALIZED', 'null'],
  ])('%s is %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });

  it.each([
    ['avg', ['null']],
    ['collect', ['[]']],
    ['count', ['0']],
    ['max', ['null']],
    ['min', ['null']],
    ['stDev', ['f0']],
    ['stDevP', ['f0']],
    ['sum', ['0']],
  ])('as an aggregate, %s, is %s', (name, expected) => {
    expect(valueOf(`COLLECT { UNWIND [null] AS x RETURN ${name}(x) AS y }`)).toBe(`[${expected.join()}]`);
  });
});
