import { describe, expect, it } from '@jest/globals';
import type { FieldValue } from '#graph/model';
import { completed } from '#platform/foundation';
import { Instant, parseInstant } from '#graph/model';
import { TextWork } from './text-work.ts';
import { compareText, compareValues } from '#graph/execution';
import {
  betweenTest,
  containsTest,
  endsWithTest,
  equalsTest,
  existsTest,
  likeTest,
  orderTest,
  regexTest,
  startsWithTest,
} from './value-test.ts';

const NOTHING: readonly FieldValue[] = [undefined, null];

describe('a value test', () => {
  it.each([
    ['=', equalsTest(['a', 1, true])],
    ['<', orderTest('<', 5)],
    ['>=', orderTest('>=', '')],
    ['BETWEEN', betweenTest(-1e9, 1e9)],
    ['LIKE', likeTest('%', false, new TextWork())],
    ['=~', regexTest('', new TextWork())],
    ['CONTAINS', containsTest('', new TextWork())],
    ['STARTS WITH', startsWithTest('')],
    ['ENDS WITH', endsWithTest('')],
    ['EXISTS', existsTest],
    ['= instant', equalsTest([new Instant(0)])],
  ])('%s is false of nothing', (_, test) => {
    expect(NOTHING.some((value) => test.matches(value))).toBe(false);
  });

  it('distinguishes numbers, strings and booleans', () => {
    expect(equalsTest(['1']).matches(1)).toBe(false);
    expect(equalsTest([1]).matches(true)).toBe(false);
    expect(orderTest('<', 5).matches('4')).toBe(false);
    expect(orderTest('>', '4').matches(5)).toBe(false);
    expect(orderTest('>', false).matches(1)).toBe(false);
    expect(betweenTest(1, 'z').matches(2)).toBe(false);
  });

  it.each([
    ['<', orderTest('<', null)],
    ['>=', orderTest('>=', null)],
    ['BETWEEN null', betweenTest(null, null)],
    ['BETWEEN null AND 1', betweenTest(null, 1)],
    ['BETWEEN 0 AND null', betweenTest(0, null)],
    ['= null', equalsTest([null])],
  ])('%s: nothing stands in an order with null, or equals it', (_, test) => {
    const values: readonly FieldValue[] = [null, undefined, 0, 1, -1, '', 'null', false, true, [], [0], [1]];

    expect(values.filter((value) => test.matches(value))).toEqual([]);
    expect(test.range).toBeUndefined();
  });

  it('compares numbers by value', () => {
    expect(equalsTest([0]).matches(-0)).toBe(true);
    expect(equalsTest([2.5]).matches(2.5)).toBe(true);
  });

  it('finds members of lists with = and with tests of text', () => {
    const list = ['s3:CreateBucket', 7];
    const work = new TextWork();
    const tests = [
      equalsTest([7]),
      containsTest(7, work),
      containsTest('Create', work),
      likeTest('S3:%', true, work),
      startsWithTest('s3:'),
      endsWithTest('Bucket'),
      regexTest('(?i)create', work),
    ];

    expect(tests.map((test) => test.matches(list))).toEqual(tests.map(() => true));
    expect(tests.map((test) => test.matches(['ec2:Run', false]))).toEqual(tests.map(() => false));
    expect(orderTest('<', 'z').matches(list)).toBe(false);
  });

  it('defers a long text in a list as one outside', () => {
    const test = regexTest('^(a+)+$', new TextWork());
    const list = ['b', 'a'.repeat(100_000)];

    const steps = test.steps?.(list);

    expect(test.mayMatch?.(list)).toBe(true);
    expect(steps && completed(steps)).toBe(true);
  });

  it('reads text as instants against an instant', () => {
    const noon = new Instant(Date.UTC(2026, 0, 1, 12));

    expect(equalsTest([noon]).matches('2026-01-01T14:00:00+02:00')).toBe(true);
    expect(orderTest('<', noon).matches('2026-01-01T11:59:59.999Z')).toBe(true);
    expect(orderTest('<', noon).matches('yesterday')).toBe(false);
    expect(orderTest('>', noon).matches('yesterday')).toBe(false);
  });

  it('takes a number as milliseconds or, if it is small, as seconds since the epoch', () => {
    const noon = new Instant(Date.UTC(2026, 0, 1, 12));

    expect(equalsTest([noon]).matches(noon.ms)).toBe(true);
    expect(equalsTest([noon]).matches([noon.ms / 1_000])).toBe(true);
    expect(orderTest('<', noon).matches(noon.ms - 1)).toBe(true);
    expect(orderTest('>', noon).matches(noon.ms / 1_000 - 1)).toBe(false);
  });

  it('declares what an index may answer', () => {
    expect(equalsTest(['a', null]).equals).toEqual(['a']);
    expect(orderTest('<=', 4).range).toEqual({ high: 4, lowIncluded: false, highIncluded: true });
    expect(orderTest('>', new Instant(0)).range).toBeUndefined();
    expect(existsTest.exists).toBe(true);
  });
});

describe('LIKE', () => {
  it.each([
    ['%', 'anything', true],
    ['', '', true],
    ['', 'a', false],
    ['a%', 'abc', true],
    ['%c', 'abc', true],
    ['a%c', 'ac', true],
    ['ab%bc', 'abc', false],
    ['a_c', 'abc', true],
    ['a_c', 'a😀c', true],
    ['_', '', false],
    ['%a%b%c%', 'xxaxxbxxcxx', true],
    ['%a%b%c%', 'xxcxxbxxaxx', false],
    ['100\\%', '100%', true],
    ['100\\%', '1000', false],
    ['a\\_b', 'axb', false],
    ['a\\\\%', 'a\\bc', true],
    ['a\\d', 'a\\d', true],
    ['A%', 'abc', false],
    ['%_x%', 'x', false],
    ['%aab', 'aaab', true],
  ])('%s against %s is %s', (pattern, text, isMatch) => {
    expect(likeTest(pattern, false, new TextWork()).matches(text)).toBe(isMatch);
  });

  it('ignores case as ILIKE', () => {
    expect(likeTest('ÄB%', true, new TextWork()).matches('äbc')).toBe(true);
  });

  it('is not slower for a pattern that invites backtracking', () => {
    const text = 'a'.repeat(20_000);

    const steps = likeTest('%a_'.repeat(30) + 'b', false, new TextWork()).steps?.(text);

    expect(steps && completed(steps)).toBe(false);
  });
});

describe('=~', () => {
  it('answers patterns on which a backtracking engine would not end', () => {
    const steps = regexTest('^(a+)+$', new TextWork()).steps?.(`${'a'.repeat(5_000)}b`);

    expect(steps && completed(steps)).toBe(false);
  });
});

describe('an instant', () => {
  it.each([
    ['2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1)],
    ['2026-01-01t00:00:00.25z', Date.UTC(2026, 0, 1) + 250],
    ['2026-01-01T00:00:00-01:30', Date.UTC(2026, 0, 1, 1, 30)],
    ['2026-01-01', Date.UTC(2026, 0, 1)],
    ['0001-01-01', -62_135_596_800_000],
  ])('%s is read', (text, ms) => {
    expect(parseInstant(text)).toBe(ms);
  });

  it.each([
    '2026-02-30',
    '2026-13-01',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:00',
    '2026',
    'NOW',
    '2026-01-01T00:00Z',
  ])('%s is none', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

describe('the order of values', () => {
  it('follows the UTF-8 bytes of text', () => {
    const texts = ['', 'B', 'a', 'a b', 'aa', 'é', '\uffee', '😀'];
    const byBytes = [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

    expect([...texts].reverse().sort(compareText)).toEqual(byBytes);
  });

  it('groups values by kind, and sorts missing values last', () => {
    const values: FieldValue[] = [null, ['b'], 'b', 2, true, ['a'], 'a', 1, false];

    expect(values.sort(compareValues)).toEqual([false, true, 1, 2, 'a', 'b', ['a'], ['b'], null]);
  });
});
