/** Random syntax trees: all that the grammar can say, and nothing that it cannot. Spans are all zero. */
import fc, { type Arbitrary } from 'fast-check';
import type {
  AsOf,
  Aggregate,
  Arithmetic,
  AggregateName,
  BlastQuery,
  Concat,
  CountValue,
  DateValue,
  EndPattern,
  Expression,
  FieldRef,
  FindQuery,
  Hop,
  HopPattern,
  Literal,
  Name,
  NodePattern,
  Now,
  Parameter,
  PathQuery,
  Query,
  ReturnClause,
  ReturnItem,
  Term,
  Value,
  VerbPattern,
  ViaPattern,
} from '../src/ast/ast.ts';
import { AGGREGATES } from '../src/lexer/keyword.ts';
import { HOPS_MAX } from '../src/syntax/limits.ts';

const span = { start: 0, end: 0 };
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const WORDS = [
  'host',
  'Host',
  'os',
  'count',
  'distinct',
  'find',
  'NOT',
  'to',
  'relates',
  'now',
  'true',
  'concat',
  'date',
  'a.b',
  'h',
  '`',
  ']',
];
const PATTERNS = ['', '^web-[0-9]+$', String.raw`\d+\.\d*`, "it's", '(a|b){2,3}'];

const flag = fc.boolean();
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom("''", '\\', String.raw`\'`, '--', '/*', '"'),
);
const nameText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...WORDS) },
  fc.string({ unit: 'grapheme', minLength: 1 }),
);
const name: Arbitrary<Name> = nameText.map((word) => ({ text: word, span }));
const names = fc.oneof(fc.constant<'*'>('*'), fc.array(name, { minLength: 1, maxLength: 3 }));
const direction = fc.constantFrom('out' as const, 'in' as const, 'any' as const);

const ref: Arbitrary<FieldRef> = fc
  .record({ alias: name, field: name }, { requiredKeys: ['field'] })
  .map((parts) => ({ kind: 'ref', span, ...parts }));
const parameter: Arbitrary<Parameter> = fc
  .constantFrom('1', '10', 'os', 'limit', '_x')
  .map((word) => ({ kind: 'parameter', span, name: word }));
const textLiteral: Arbitrary<Literal> = text.map((value) => ({ kind: 'literal', span, value }));
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((value) => value + 0);
const literal: Arbitrary<Literal> = fc.oneof(
  textLiteral,
  fc.oneof(number, flag, fc.constant(null)).map((value) => ({ kind: 'literal' as const, span, value })),
);
const now: Arbitrary<Now> = fc
  .tuple(fc.integer({ min: -10_000, max: 10_000 }), fc.constantFrom(MINUTE_MS, HOUR_MS, DAY_MS))
  .map(([amount, unitMs]) => ({ kind: 'now', span, offsetMs: amount * unitMs + 0 }));
const date: Arbitrary<DateValue> = fc
  .constantFrom('2019', '2019-10', '2019-10-30', '2019-10-30T10+02:00', '2019-10-30t10:20:30.5Z')
  .map((value) => ({ kind: 'date', span, text: value }));
const constant: Arbitrary<Value> = fc.oneof(literal, parameter, now, date);
const count: Arbitrary<CountValue> = fc.oneof(
  fc.maxSafeNat().map((value) => ({ kind: 'count' as const, value, span })),
  parameter,
);

const counted: Arbitrary<Aggregate> = fc.constant({
  kind: 'aggregate',
  span,
  function: 'count',
  distinct: false,
  argument: '*',
});
const aggregate: Arbitrary<Aggregate> = fc.oneof(
  counted,
  fc
    .tuple(
      fc.constantFrom(...AGGREGATES).map((keyword) => keyword.toLowerCase() as AggregateName),
      flag,
      ref,
    )
    .map(([name_, distinct, argument]) => ({
      kind: 'aggregate' as const,
      span,
      function: name_,
      distinct,
      argument,
    })),
);

/** Conditions over some operands and values. */
function expression(
  left: Arbitrary<FieldRef | Aggregate>,
  value: Arbitrary<Value>,
  ...others: readonly Arbitrary<Expression>[]
): Arbitrary<Expression> {
  const string = fc.oneof(textLiteral, parameter);
  const pattern = fc
    .constantFrom(...PATTERNS)
    .map((word): Literal => ({ kind: 'literal', span, value: word }));
  const leaf: Arbitrary<Expression> = fc.oneof(
    fc
      .record({
        left,
        operator: fc.constantFrom('=' as const, '!=' as const, '<' as const, '>=' as const),
        right: value,
      })
      .map((parts) => ({ kind: 'compare' as const, span, ...parts })),
    fc
      .record({
        left,
        negated: flag,
        values: fc.oneof(fc.array(value, { minLength: 1, maxLength: 3 }), parameter),
      })
      .map((parts) => ({ kind: 'in' as const, span, ...parts })),
    fc
      .record({
        left,
        negated: flag,
        operator: fc.constantFrom('like' as const, 'ilike' as const),
        right: string,
      })
      .map((parts) => ({ kind: 'text' as const, span, ...parts })),
    fc
      .record({ left, negated: flag, right: value })
      .map((parts) => ({ kind: 'text' as const, span, operator: 'contains' as const, ...parts })),
    fc
      .record({
        left,
        negated: flag,
        operator: fc.constantFrom('starts_with' as const, 'ends_with' as const),
        right: value,
      })
      .map((parts) => ({ kind: 'text' as const, span, ...parts })),
    fc.record({ left, right: fc.oneof(pattern, parameter) }).map((parts) => ({
      kind: 'text' as const,
      span,
      operator: 'regex' as const,
      negated: false,
      ...parts,
    })),
    fc
      .record({ left, negated: flag, low: value, high: value })
      .map((parts) => ({ kind: 'between' as const, span, ...parts })),
    fc.record({ left, negated: flag }).map((parts) => ({ kind: 'exists' as const, span, ...parts })),
    ...others,
  );
  return fc.letrec<{ node: Expression }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      tie('node').map((item) => ({ kind: 'not' as const, span, item })),
      fc
        .tuple(
          fc.constantFrom('and' as const, 'or' as const),
          fc.array(tie('node'), { minLength: 2, maxLength: 3 }),
          flag,
        )
        .map(([kind, items, mixed]) => andOr(kind, items, mixed)),
    ),
  })).node;
}

/** Only an OR with an AND in it can be mixed. */
function andOr(kind: 'and' | 'or', items: readonly Expression[], mixed: boolean): Expression {
  const canMix = kind === 'or' && items.some((item) => item.kind === 'and');
  return { kind, span, items, ...(canMix && mixed ? { mixed } : {}) };
}

const linked: Arbitrary<Expression> = fc
  .record({ left: name, verbs: fc.record({ span: fc.constant(span), names }), direction, right: name })
  .map((parts) => ({ kind: 'linked', span, ...parts }));

export const withCondition = expression(ref, constant);
const whereCondition = expression(ref, fc.oneof(constant, ref), linked);
const havingCondition = expression(fc.oneof(ref, aggregate), constant);

const node: Arbitrary<NodePattern> = fc
  .record({ names, alias: name, filter: withCondition }, { requiredKeys: ['names'] })
  .map((parts) => ({ kind: 'node', span, ...parts }));
const verbs: Arbitrary<VerbPattern> = names.map((some) => ({ span, names: some }));
const repeat = fc
  .tuple(fc.nat({ max: HOPS_MAX }), fc.oneof(fc.nat({ max: HOPS_MAX }), fc.constant(Infinity)))
  .map(([a, b]) => ({ span, min: Math.min(a, b), max: Math.max(a, b) }));
const hop: Arbitrary<Hop> = fc
  .record(
    { verbs, direction, target: node, repeat, alias: name },
    { requiredKeys: ['verbs', 'direction', 'target'] },
  )
  .map((parts) => ({ kind: 'hop', span, ...parts }));
const hopPattern = fc.letrec<{ hop: HopPattern }>((tie) => ({
  hop: fc.oneof(
    { depthSize: 'small' },
    hop,
    fc
      .record({
        mode: fc.constantFrom('required' as const, 'optional' as const, 'absent' as const),
        hops: fc.array(tie('hop'), { minLength: 1, maxLength: 3 }),
      })
      .map((parts) => ({ kind: 'group' as const, span, ...parts })),
  ),
})).hop;

/** Sums of products and products of sums, of numbers only, and texts joined. */
const { computed } = fc.letrec<{
  computed: Arithmetic | Concat;
  numeric: Term;
  arithmetic: Arithmetic;
  concat: Concat;
}>((tie) => ({
  numeric: fc.oneof(
    { depthSize: 'small' },
    ref,
    aggregate,
    number.map((value) => ({ kind: 'literal' as const, span, value })),
    tie('arithmetic'),
  ),
  arithmetic: fc
    .constantFrom(['+', '-'] as const, ['*', '/'] as const)
    .chain((ranked) =>
      fc.record({
        terms: fc.tuple(tie('numeric'), tie('numeric'), tie('numeric')),
        operators: fc.tuple(fc.constantFrom(...ranked), fc.constantFrom(...ranked)),
        length: fc.constantFrom(2, 3),
      }),
    )
    .map(({ terms, operators, length }) => ({
      kind: 'arithmetic',
      span,
      terms: terms.slice(0, length),
      operators: operators.slice(0, length - 1),
    })),
  concat: fc
    .array(
      fc.oneof(
        { depthSize: 'small' },
        tie('numeric'),
        textLiteral,
        flag.map((value) => ({ kind: 'literal' as const, span, value })),
        tie('concat'),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((terms) => ({ kind: 'concat', span, terms })),
  computed: fc.oneof(tie('arithmetic'), tie('concat')),
}));

const item: Arbitrary<ReturnItem> = fc
  .record(
    {
      value: fc.oneof(
        ref,
        aggregate,
        computed,
        name.map((alias) => ({ kind: 'all' as const, span, alias })),
      ),
      alias: name,
    },
    { requiredKeys: ['value'] },
  )
  .map((parts) => ({ span, ...parts }));
const returns: Arbitrary<ReturnClause> = fc.oneof(
  fc.constant<ReturnClause>({ kind: 'count', span, distinct: false, items: [] }),
  fc
    .record({ distinct: flag, items: fc.array(item, { minLength: 1, maxLength: 3 }) })
    .map((parts) => ({ kind: 'items' as const, span, ...parts })),
);
const orderKey = fc
  .record({ value: fc.oneof(ref, aggregate), descending: flag })
  .map((parts) => ({ span, ...parts }));

const find: Arbitrary<FindQuery> = fc
  .record(
    {
      node,
      hops: fc.array(hopPattern, { maxLength: 3 }),
      where: whereCondition,
      groupBy: fc.array(ref, { maxLength: 2 }),
      having: havingCondition,
      returns,
      orderBy: fc.array(orderKey, { maxLength: 2 }),
      skip: count,
      limit: count,
    },
    { requiredKeys: ['node', 'hops', 'groupBy', 'orderBy'] },
  )
  .map(({ having, where, ...parts }) => ({
    kind: 'find',
    span,
    ...parts,
    ...(having !== undefined && parts.groupBy.length > 0 ? { having } : {}),
    // WHERE needs an alias somewhere.
    ...(where === undefined ? {} : { where, node: { alias: { text: 'h', span }, ...parts.node } }),
  }));

const end: Arbitrary<EndPattern> = fc.oneof(
  node,
  text.map((key) => ({ kind: 'key' as const, span, text: key })),
);
const via: Arbitrary<ViaPattern> = fc.record({ verbs, direction }).map((parts) => ({ span, ...parts }));
const path: Arbitrary<PathQuery> = fc
  .record(
    {
      all: fc.constant(true as const),
      each: fc.constant(true as const),
      from: end,
      to: end,
      via,
      depth: fc.maxSafeNat(),
      limit: count,
    },
    { requiredKeys: ['from', 'to'] },
  )
  // Only entities of a pattern can be many.
  .map(({ each, ...parts }) => ({
    kind: 'path',
    span,
    ...parts,
    ...(each && parts.from.kind === 'node' && { each }),
  }));
const blast: Arbitrary<BlastQuery> = fc
  .record({ from: end, via, depth: fc.maxSafeNat(), limit: count }, { requiredKeys: ['from'] })
  .map((parts) => ({ kind: 'blast', span, ...parts }));

const asOf: Arbitrary<AsOf> = fc
  .oneof(
    fc.maxSafeNat(),
    fc.constantFrom('2026-01-31', '2026-01-31T12:00:00Z', '2026-01-31t12:00:00.5+02:00', 'a1-b_2.17'),
  )
  .map((value) => ({ span, value }));

export const arbitraryQuery: Arbitrary<Query> = fc
  .record(
    {
      mode: fc.constantFrom('run' as const, 'explain' as const, 'profile' as const),
      body: fc.oneof({ weight: 6, arbitrary: find }, path, blast),
      asOf,
    },
    { requiredKeys: ['mode', 'body'] },
  )
  .map((parts) => ({ span, ...parts }));
