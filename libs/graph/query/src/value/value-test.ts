/**
 * The semantics of conditions: PQL's two-valued logic as tests of one value. All tests are positive; `!=`,
 * NOT IN, NOT LIKE … negate one, and are therefore true for a missing or null field.
 *
 * - Values of different kinds are neither equal nor ordered. Numbers compare by value, strings by UTF-8
 * bytes.
 * - `=`, IN and the tests of text are true for a list with such a member; an order is false for a list.
 * - Compared with an {@link Instant}, text is parsed as RFC 3339, and a number is a time since the epoch;
 * other values are not comparable.
 */
import type { FieldValue, Scalar, ValueRange, ValueTest } from '#graph/model';
import { assert } from '#platform/foundation';
import { compilePattern } from '../syntax/regular-expression.ts';
import { ExpressionSearch } from './expression-search.ts';
import { epochMs, Instant, parseInstant } from '#graph/model';
import { likePattern, partPattern } from './like-pattern.ts';
import type { TextMatcher } from './text-matcher.port.ts';
import type { TextWork } from './text-work.ts';
import { compareText } from '#graph/execution';

export type Comparand = Scalar | Instant;
export type OrderOperator = '<' | '<=' | '>' | '>=';

const NEVER: ValueTest = { matches: () => false, equals: [] };

export const existsTest: ValueTest = {
  matches: (value) => value !== undefined && value !== null,
  exists: true,
};

/** Equal to one of these, or a list with such a member. Null equals nothing. */
export function equalsTest(values: readonly Comparand[]): ValueTest {
  const scalars = values.filter((value) => !(value instanceof Instant) && value !== null) as Scalar[];
  const instants = values.filter((value) => value instanceof Instant);
  if (instants.length > 0) {
    const equals = (value: FieldValue): boolean =>
      scalars.includes(value as Scalar) || instants.some((instant) => instantOf(value) === instant.ms);
    return { matches: (value) => someMember(value, equals) };
  }
  const only = scalars[0];
  if (scalars.length === 1) {
    return {
      matches: (value) => value === only || (Array.isArray(value) && value.includes(only)),
      equals: scalars,
    };
  }
  if (scalars.length === 0) return NEVER;
  const wanted = new Set<FieldValue>(scalars);
  return { matches: (value) => someMember(value, (member) => wanted.has(member)), equals: scalars };
}

export function orderTest(operator: OrderOperator, bound: Comparand): ValueTest {
  const isIncluded = operator === '<=' || operator === '>=';
  return operator === '<' || operator === '<='
    ? rangeTest({ high: bound, lowIncluded: false, highIncluded: isIncluded })
    : rangeTest({ low: bound, lowIncluded: isIncluded, highIncluded: false });
}

/** Tests for a value between two ends, both included. */
export function betweenTest(low: Comparand, high: Comparand): ValueTest {
  return rangeTest({ low, high, lowIncluded: true, highIncluded: true });
}

/** CONTAINS: a part of a text; with any other value, a member of a list. */
export function containsTest(part: Comparand, work: TextWork): ValueTest {
  if (typeof part === 'string') return slowTextTest(partPattern(part), work);
  const isMember = equalsTest([part]);
  return { matches: (value) => Array.isArray(value) && isMember.matches(value) };
}

export function startsWithTest(prefix: string): ValueTest {
  return textTest((text) => text.startsWith(prefix));
}

export function endsWithTest(suffix: string): ValueTest {
  return textTest((text) => text.endsWith(suffix));
}

export function likeTest(pattern: string, ignoreCase: boolean, work: TextWork): ValueTest {
  return slowTextTest(likePattern(pattern, ignoreCase), work);
}

/** Searches in time linear in the text for any pattern, which must be valid. */
export function regexTest(pattern: string, work: TextWork): ValueTest {
  const compiled = compilePattern(pattern);
  assert('expression' in compiled, 'expected a pattern that was checked');
  const { expression } = compiled;
  const search = new ExpressionSearch(expression);
  const matcher = {
    key: `=~ ${pattern}`,
    cost: (units: number) => units * search.size,
    matches: (text: string) => expression.test(text),
    steps: (text: string) => search.run(text),
  };
  return slowTextTest(matcher, work);
}

/** Milliseconds since the epoch of a text that is an instant, or of a number since the epoch. */
export function instantOf(value: FieldValue): number | undefined {
  if (typeof value === 'number') return epochMs(value);
  return typeof value === 'string' ? parseInstant(value) : undefined;
}

interface Bounds {
  readonly low?: Comparand;
  readonly high?: Comparand;
  readonly lowIncluded: boolean;
  readonly highIncluded: boolean;
}

function rangeTest(bounds: Bounds): ValueTest {
  const { low, high } = bounds;
  const kind = kindOf(low ?? high ?? null);
  if (kind === 'null') return NEVER;
  if (low !== undefined && high !== undefined && kindOf(low) !== kindOf(high)) return NEVER;
  const matches = rangeMatcher(bounds);
  const isIndexed = kind === 'number' || kind === 'string';
  return isIndexed ? { matches, range: bounds as ValueRange } : { matches };
}

function rangeMatcher({ low, high, lowIncluded, highIncluded }: Bounds): (value: FieldValue) => boolean {
  const aboveLow = low === undefined ? undefined : orderMatcher(low, lowIncluded, 1);
  const belowHigh = high === undefined ? undefined : orderMatcher(high, highIncluded, -1);
  if (aboveLow === undefined) return belowHigh ?? (() => false);
  return belowHigh === undefined ? aboveLow : (value) => aboveLow(value) && belowHigh(value);
}

/** `sign` 1: above the bound; −1: below it. */
function orderMatcher(bound: Comparand, isIncluded: boolean, sign: 1 | -1): (value: FieldValue) => boolean {
  const passes = (order: number): boolean => order * sign > 0 || (isIncluded && order === 0);
  if (bound instanceof Instant) {
    return (value) => {
      const ms = instantOf(value);
      return ms !== undefined && passes(ms - bound.ms);
    };
  }
  if (typeof bound === 'string') {
    return (value) => typeof value === 'string' && passes(compareText(value, bound));
  }
  const kind = typeof bound;
  const number = Number(bound);
  return (value) => typeof value === kind && passes(Number(value) - number);
}

function textTest(matches: (text: string) => boolean): ValueTest {
  return { matches: (value) => someText(value, matches) };
}

type SlowTest = Required<Pick<ValueTest, 'matches' | 'steps' | 'mayMatch'>>;

function slowTextTest(matcher: TextMatcher, work: TextWork): SlowTest {
  work.use();
  return {
    mayMatch: (value) => someText(value, (text) => work.mayMatch(matcher, text)),
    matches: (value) => someText(value, (text) => work.matches(matcher, text)),
    *steps(value) {
      for (const text of Array.isArray(value) ? value : [value]) {
        if (typeof text === 'string' && (yield* work.steps(matcher, text))) return true;
      }
      return false;
    },
  };
}

/** A text, or a list with a text, that matches. */
function someText(value: FieldValue, matches: (text: string) => boolean): boolean {
  return someMember(value, (member) => typeof member === 'string' && matches(member));
}

function someMember(value: FieldValue, matches: (member: FieldValue) => boolean): boolean {
  return Array.isArray(value) ? value.some(matches) : matches(value);
}

function kindOf(value: Comparand): 'instant' | 'null' | 'boolean' | 'number' | 'string' {
  if (value instanceof Instant) return 'instant';
  return value === null ? 'null' : (typeof value as 'boolean' | 'number' | 'string');
}
