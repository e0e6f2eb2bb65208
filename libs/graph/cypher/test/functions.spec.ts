/** Functions and types beyond what the conformance kit asks. */
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { AGGREGATE_NAMES } from '../src/function/aggregates.ts';
import { FUNCTION_GROUPS } from '../src/function/functions.ts';
import { rowsOf, valueOf } from './statement/run-statement.ts';

describe('points', () => {
  it.each([
    ['point({x: 1, y: 2})', `'point({srid:7203, x:1.0, y:2.0})'`],
    ['point({x: -0.0, y: 0.0})', `'point({srid:7203, x:-0.0, y:0.0})'`],
    ['point({x: 1, y: 2, z: 3}).crs', `'cartesian-3d'`],
    ['point({latitude: 59.5, longitude: 18.25})', `'point({srid:4326, x:18.25, y:59.5})'`],
    ['point({latitude: 1, longitude: 2, height: 3}).srid', '4979'],
    [`point({x: 2, y: 1, crs: 'WGS-84'}).latitude`, 'f1'],
    ['point({x: 1, y: 2, srid: 4326}).longitude', 'f1'],
    ['point({longitude: 190, latitude: 0}).x', 'f-170'],
    ['point({x: 1, y: null})', 'null'],
    ['point({x: 1, y: 2}) = point({x: 1.0, y: 2.0})', 'true'],
    ['point({x: 1, y: 2}) = point({longitude: 1, latitude: 2})', 'false'],
    ['point({x: 1, y: 2}) < point({x: 2, y: 2})', 'null'],
    ['point({x: 1, y: 2}).latitude', 'null'],
    ['point.distance(point({x: 0, y: 0}), point({x: 3, y: 4}))', 'f5'],
    ['point.distance(point({x: 0, y: 0}), point({longitude: 3, latitude: 4}))', 'null'],
    [
      'round(point.distance(point({longitude: 12.78, latitude: 56.7}), point({longitude: 12.79, latitude: 56.71})))',
      'f1270',
    ],
    ['point.withinBBox(point({x: 1, y: 1}), point({x: 0, y: 0}), point({x: 1, y: 2}))', 'true'],
    [
      'point.withinBBox(point({longitude: 175, latitude: 0}), point({longitude: 170, latitude: -1}), point({longitude: -170, latitude: 1}))',
      'true',
    ],
    [
      'point.withinBBox(point({longitude: 0, latitude: 0}), point({longitude: 170, latitude: -1}), point({longitude: -170, latitude: 1}))',
      'false',
    ],
    [
      'point({x: 1, y: 2}).w',
      'a Point has no component w: expected x, y, z, longitude, latitude, height, crs or srid',
    ],
    ['point({x: 1})', 'point(): expected the coordinate y'],
    ['point({longitude: 1, latitude: 91})', 'point(): expected a latitude from -90 to 90, got 91'],
    [
      `point({x: 1, y: 2, crs: 'mars'})`,
      'point(): expected one of wgs-84 (4326), wgs-84-3d (4979), cartesian (7203), cartesian-3d (9157), got mars',
    ],
    ['point({x: 1, y: 2, z: 3, srid: 7203})', 'point(): cartesian has 2 coordinates, got 3'],
  ])('%s is %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });
});

describe('functions of texts', () => {
  it.each([
    [`trim(BOTH 'x' FROM 'xxaxbxx')`, `'axb'`],
    [`trim(LEADING 'xy' FROM 'xyxab')`, `'ab'`],
    [`trim(TRAILING FROM ' a ')`, `' a'`],
    [`trim('  a ')`, `'a'`],
    [`btrim('xxaxx', 'x')`, `'a'`],
    [`ltrim('xxaxx', 'x')`, `'axx'`],
    [`rtrim('xxaxx', 'x')`, `'xxa'`],
    [`trim(null)`, 'null'],
    [`size(normalize('\\u212B'))`, '1'],
    [`size(normalize('\\u00E5', NFD))`, '2'],
    [`'\\u212B' IS NORMALIZED`, 'false'],
    [`'\\u00E5' IS NFC NORMALIZED`, 'true'],
    [`'\\u00E5' IS NOT NFD NORMALIZED`, 'true'],
    [`replace('aaaa', 'a', 'b', 2)`, `'bbaa'`],
    [`replace('abab', 'ab', '')`, `''`],
    [`character_length('a\\U0001F600')`, '2'],
    [`toInteger('9223372036854775807')`, '9223372036854775807'],
    [`toIntegerOrNull('9223372036854775808')`, 'null'],
    [`toInteger('9223372036854775808')`, 'integer overflow: the result is beyond 64 bits'],
    ['toInteger(1e300)', 'integer overflow: the result is beyond 64 bits'],
    [`toInteger('1e400')`, 'null'],
    [`split('a,b;c', [',', ';'])`, `['a','b','c']`],
    [`split('a😀b', '')`, `['a','😀','b']`],
    [`split('', '')`, `['']`],
    [`split('', 'a')`, `['']`],
    [`split('a', 'a')`, `['','']`],
    [`split('abc', [])`, `['abc']`],
    [`split('ab', ['b', ''])`, `['a','b']`],
    [`split('aXYb', ['XY', 'X'])`, `['a','b']`],
    [`split('aXYb', ['X', 'XY'])`, `['a','Yb']`],
    [`split('aab', ['b', 'ab'])`, `['a','']`],
    [`replace('a😀', '', '-')`, `'-a-😀-'`],
    [`replace('ab', '', '-', 1)`, `'-ab'`],
    [`replace('', '', 'x')`, `'x'`],
    [`trim('x' FROM 'xxaxbxx')`, `'axb'`],
    [`toFloat('NaN')`, 'NaN'],
    [`toFloat(toString(-1.0 / 0.0))`, 'f-Infinity'],
    [`toFloat(' Infinity ')`, 'fInfinity'],
    [`toFloat('nan')`, 'null'],
    [`toFloat('infinity')`, 'null'],
    [`toFloatList(['NaN', '+Infinity', 'Inf'])`, '[NaN,fInfinity,null]'],
    [`toInteger('NaN')`, 'null'],
  ])('%s is %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });
});

describe('functions of numbers', () => {
  it.each([
    ['toString(-0.0)', `'-0.0'`],
    ['round(-1.5)', 'f-1'],
    ['round(-1.55, 1)', 'f-1.6'],
    ['round(1.005, 2)', 'f1.01'],
    [`round(1.249, 1, 'UP')`, 'f1.3'],
    [`round(-1.29, 1, 'CEILING')`, 'f-1.2'],
    [`round(-1.21, 1, 'FLOOR')`, 'f-1.3'],
    [`round(1.25, 1, 'HALF_EVEN')`, 'f1.2'],
    [`round(1.25, 1, 'HALF_DOWN')`, 'f1.2'],
    [`round(1.29, 1, 'DOWN')`, 'f1.2'],
    [
      `round(1.5, 0, 'SIDEWAYS')`,
      `round(): expected UP, DOWN, CEILING, FLOOR, HALF_UP, HALF_DOWN, HALF_EVEN, got 'SIDEWAYS'`,
    ],
    ['round(1.5, 1000)', 'round(): expected a number of places from 0 to 400, got 1000'],
    ['coth(1) * tanh(1)', 'f1'],
    ['coth(0)', 'NaN'],
    ['[NaN, Inf, -Infinity, inf]', '[NaN,fInfinity,f-Infinity,fInfinity]'],
    ['isNaN(NaN) AND NaN <> NaN', 'true'],
    ['{nan: 1}.nan', '1'],
  ])('%s is %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });
});

describe('CASE', () => {
  it.each([
    [`CASE null WHEN null THEN 1 ELSE 2 END`, '2'],
    [`CASE null WHEN IS NULL THEN 1 ELSE 2 END`, '1'],
    [`CASE 'hazel' WHEN 'blue' THEN 1 WHEN 'brown', 'hazel' THEN 2 END`, '2'],
    [`CASE 7 WHEN IS NULL, IS NOT TYPED INTEGER | FLOAT THEN 'none' WHEN < 5, > 6 THEN 'far' END`, `'far'`],
    [`CASE 'a' WHEN IS NULL, IS NOT TYPED INTEGER | FLOAT THEN 'none' WHEN < 5 THEN 'less' END`, `'none'`],
    [`CASE 1 WHEN <> 1 THEN 'a' WHEN <= 1 THEN 'b' END`, `'b'`],
    [`CASE 'text' WHEN ENDS WITH 'x' THEN 1 WHEN =~ 't.*' THEN 2 END`, '2'],
    [`CASE 'text' WHEN STARTS WITH 'te' THEN 1 END`, '1'],
    [`CASE '\\u212B' WHEN IS NOT NFC NORMALIZED THEN 1 END`, '1'],
    [`CASE 2 WHEN -2, +2 THEN 1 END`, '1'],
    [`CASE WHEN null THEN 1 WHEN 1 = 1 THEN 2 END`, '2'],
    [`CASE WHEN 1 THEN 1 END`, 'expected a Boolean, got Integer'],
    [`CASE WHEN true, true THEN 1 END`, 'expected THEN, found `,` (line 1, column 22)'],
  ])('%s is %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });
});

describe('the order of maps', () => {
  it('is by size, then by keys, then by values', () => {
    const maps = '[{a: 2, c: 1}, {a: 1, d: 1}, {z: 1}, {}, {a: 1, c: 1}, {c: null, a: 1}]';

    expect(valueOf(`COLLECT { UNWIND ${maps} AS m RETURN m ORDER BY m }`)).toBe(
      '[{},{z:1},{a:1,c:1},{a:1,c:null},{a:2,c:1},{a:1,d:1}]',
    );
  });
});

describe('aggregates', () => {
  it.each([
    ['sum(duration({days: x}))', `['P6D']`],
    ['avg(duration({days: x}))', `['P2D']`],
    ['[avg(x % 2) = 2.0 / 3, avg(x / 2 % 2) = 2.0 / 3, avg((x - 1) % 2) = 1.0 / 3]', '[[true,true,true]]'],
    ['percentileCont(x, 0.25)', '[f1.5]'],
    ['percentileDisc(x, 0.5)', '[2]'],
    ['stDev(x)', '[f1]'],
    ['round(stDevP(x), 3)', '[f0.816]'],
  ])('%s is %s', (expression, expected) => {
    expect(valueOf(`COLLECT { UNWIND [1, 2, 3] AS x RETURN ${expression} AS result }`)).toBe(expected);
  });
});

describe('types of values', () => {
  it.each([
    ['valueType(1)', `'INTEGER NOT NULL'`],
    ['valueType(null)', `'NULL'`],
    [`valueType([1, 'a', null])`, `'LIST<STRING | INTEGER> NOT NULL'`],
    ['valueType([[1], []])', `'LIST<LIST<INTEGER NOT NULL> NOT NULL | LIST<NOTHING> NOT NULL> NOT NULL'`],
    ['valueType(time())', `'ZONED TIME NOT NULL'`],
    ['1 IS :: INTEGER', 'true'],
    ['1 IS NOT :: INT', 'false'],
    ['1 :: STRING', 'false'],
    ['null IS :: INTEGER', 'true'],
    ['null IS :: INTEGER NOT NULL', 'false'],
    ['null :: NOTHING', 'false'],
    ['1.5 IS TYPED FLOAT', 'true'],
    ['1 IS :: STRING | INTEGER', 'true'],
    ['[1, 2] IS :: LIST<INTEGER NOT NULL>', 'true'],
    ['[1, null] IS :: LIST<INTEGER NOT NULL>', 'false'],
    [`[1, 'a'] IS :: LIST<INTEGER | STRING>`, 'true'],
    [`[1, 'a'] IS :: PROPERTY VALUE`, 'false'],
    ['datetime() IS :: TIMESTAMP WITH TIME ZONE', 'true'],
    ['{a: 1} IS :: MAP AND {a: 1} IS :: ANY', 'true'],
    [`[x IN [1, 'a'] WHERE x IS :: INTEGER | x]`, '[1]'],
    ['1 IS :: INTEGR', 'expected the name of a type such as INTEGER, found `INTEGR` (line 1, column 16)'],
  ])('%s is %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });
});

describe('an unknown function', () => {
  it('is refused before anything runs, with the nearest name', () => {
    expect(() => rowsOf('RETURN toUper(1)')).not.toThrow();
    expect(rowsOf('RETURN toUper(1)')).toBe('there is no function toUper() (line 1, column 8)');
  });

  it('is not a property that every object has', () => {
    expect(rowsOf('RETURN constructor(1)')).toBe('there is no function constructor() (line 1, column 8)');
    expect(rowsOf('RETURN date().constructor')).toBe('a Date has no component constructor');
  });
});

describe('each function', () => {
  const functions = FUNCTION_GROUPS.flatMap(([, table]) => Object.entries(table));

  it('has one name', () => {
    const names = functions.map(([name]) => name.toLowerCase());

    expect(new Set(names).size).toBe(names.length);
  });

  it.each(functions)('%s answers any values or refuses them', (name, { min, max }) => {
    const values = [
      'null',
      '1',
      '-1.5',
      `'a'`,
      '[]',
      '{a: 1}',
      'date()',
      `duration('P1D')`,
      'point({x: 1, y: 2})',
      '1.0/0.0',
    ];
    for (const value of values) {
      const count = Math.max(min, Math.min(max, 2));
      expect(typeof valueOf(`${name}(${Array.from({ length: count }, () => value).join()})`)).toBe('string');
    }
  });
});

describe('the list of functions in the documentation', () => {
  it('has them all', () => {
    const page = readFileSync(new URL('../../../../docs/cypher.md', import.meta.url), 'utf8');
    const list = page.slice(page.indexOf('## Functions'), page.indexOf('Not there:'));
    const names = [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    const known = FUNCTION_GROUPS.flatMap(([, table]) => Object.keys(table));

    expect(names.sort()).toEqual([...known, ...AGGREGATE_NAMES].sort());
  });
});
