import fc from 'fast-check';
import type { FieldValue, Filter, Scalar, Selection, ValueTest } from '#graph/model';
import { arbitraryField, arbitraryNames } from './arbitrary-graph.ts';

const scalar: fc.Arbitrary<boolean | number | string> = fc.constantFrom(
  true,
  false,
  1,
  2,
  2.5,
  'linux',
  'Host',
  'a',
  '😀',
  'test',
);

const arbitraryTest: fc.Arbitrary<ValueTest> = fc.oneof(
  fc.array(scalar, { maxLength: 3 }).map(equalsTest),
  fc
    .tuple(fc.constantFrom(0, 1, 2, 2.5), fc.boolean(), fc.boolean())
    .map(([low, included, isHigh]) => rangeTest(low, included, isHigh)),
  fc.constant<ValueTest>({ matches: (value) => value !== undefined && value !== null, exists: true }),
  fc
    .constantFrom('l', 'Li', '2')
    .map((text): ValueTest => ({ matches: (value) => String(value).includes(text) })),
);

const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({ kind: fc.constant('test' as const), field: arbitraryField, test: arbitraryTest }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      items: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), item: tie('filter') }),
  ),
}));

/** Selections with every kind of filter and every hint that a test may carry. */
export const arbitrarySelection: fc.Arbitrary<Selection> = fc.oneof(
  arbitraryNames.map((names) => ({ names })),
  fc.record({ names: arbitraryNames, filter }),
);

function equalsTest(values: readonly Scalar[]): ValueTest {
  const isOne = (value: FieldValue): boolean =>
    Array.isArray(value) ? value.some(isOne) : values.some((item) => item === value);
  return { matches: isOne, equals: values };
}

function rangeTest(bound: number, isIncluded: boolean, isHigh: boolean): ValueTest {
  const passes = (value: number): boolean =>
    (isIncluded && value === bound) || (isHigh ? value < bound : value > bound);
  return {
    matches: (value) => typeof value === 'number' && passes(value),
    range: { [isHigh ? 'high' : 'low']: bound, lowIncluded: isIncluded, highIncluded: isIncluded },
  };
}
