/** Expressions with variables of their own: comprehensions, quantifiers, reduce, patterns and subqueries. */
import type {
  Expression,
  PatternExpression,
  SubqueryExpression,
  ListComprehension,
  PatternComprehension,
  QuantifierExpression,
  ReduceExpression,
} from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { typeFault } from '../value/arithmetic.ts';
import type { Truth } from '../value/equality.ts';
import { isList, sizeOf, typeName, type Value } from '../value/value.ts';
import { truthOf } from './logic.ts';
import { type Evaluation, extended, type Pausing, type Row, type Run } from '../graph/run.ts';
import type { Scope } from './scope.ts';
import { staticItemType } from './static-type.ts';
import type { CompiledSubquery, SubqueryCompiler } from './subqueries.ts';

export type ListForm =
  | ListComprehension
  | PatternComprehension
  | QuantifierExpression
  | ReduceExpression
  | PatternExpression
  | SubqueryExpression;

/** What the forms need of the compiler of expressions. */
interface Compiler {
  readonly scope: Scope;
  readonly subqueries: SubqueryCompiler;
  within(scope: Scope): Compiler;
  evaluation(expression: Expression): Evaluation;
}

type InSteps = NonNullable<Evaluation['inSteps']>;

/** Their work may be long: it offers pauses. */
export function compileListForm(compiler: Compiler, form: ListForm): InSteps {
  switch (form.kind) {
    case 'list-comprehension':
      return listComprehension(compiler, form);
    case 'quantifier':
      return quantifier(compiler, form);
    case 'reduce':
      return reduce(compiler, form);
    case 'pattern':
      return patternTest(compiler, form);
    case 'pattern-comprehension':
      return patternComprehension(compiler, form);
    case 'subquery':
      return subquery(compiler, form);
  }
}

export function isListForm(expression: Expression): expression is ListForm {
  return LIST_FORMS.has(expression.kind);
}

const LIST_FORMS: ReadonlySet<Expression['kind']> = new Set<ListForm['kind']>([
  'list-comprehension',
  'quantifier',
  'reduce',
  'pattern',
  'pattern-comprehension',
  'subquery',
]);

function* valueOf({ evaluate, inSteps }: Evaluation, row: Row, run: Run): Pausing<Value> {
  return inSteps === undefined ? evaluate(row, run) : yield* inSteps(row, run);
}

function listComprehension(
  compiler: Compiler,
  { variable, list, where, result }: ListComprehension,
): InSteps {
  const source = compiler.evaluation(list);
  const { scope, variable: item } = compiler.scope.with(variable.text, staticItemType(list));
  const inner = compiler.within(scope);
  const condition = where && inner.evaluation(where);
  const mapped = result && inner.evaluation(result);
  return function* (row, run) {
    const items = listOf(yield* valueOf(source, row, run));
    if (items === null) return null;
    const kept: Value[] = [];
    for (const value of items) {
      run.tick();
      if (run.isPauseDue()) yield undefined;
      const next = extended(row, item.slot, value);
      if (condition !== undefined && truthOf(yield* valueOf(condition, next, run)) !== true) continue;
      run.make(1);
      kept.push(mapped === undefined ? value : yield* valueOf(mapped, next, run));
    }
    return kept;
  };
}

function quantifier(
  compiler: Compiler,
  { quantifier: kind, variable, list, where }: QuantifierExpression,
): InSteps {
  const source = compiler.evaluation(list);
  const { scope, variable: item } = compiler.scope.with(variable.text, staticItemType(list));
  const condition = compiler.within(scope).evaluation(where);
  return function* (row, run) {
    const items = listOf(yield* valueOf(source, row, run));
    if (items === null) return null;
    const counts: TruthCounts = { yes: 0, no: 0, unknown: 0 };
    for (const value of items) {
      run.tick();
      if (run.isPauseDue()) yield undefined;
      const truth = truthOf(yield* valueOf(condition, extended(row, item.slot, value), run));
      counts[truth === null ? 'unknown' : truth ? 'yes' : 'no']++;
    }
    return QUANTIFIED[kind](counts);
  };
}

type TruthCounts = Record<'yes' | 'no' | 'unknown', number>;

const QUANTIFIED: Readonly<Record<QuantifierExpression['quantifier'], (counts: TruthCounts) => Truth>> = {
  any: ({ yes, unknown }) => (yes > 0 ? true : unknown > 0 ? null : false),
  all: ({ no, unknown }) => (no > 0 ? false : unknown > 0 ? null : true),
  none: ({ yes, unknown }) => (yes > 0 ? false : unknown > 0 ? null : true),
  single: ({ yes, unknown }) => (yes > 1 ? false : unknown > 0 ? null : yes === 1),
};

function reduce(compiler: Compiler, form: ReduceExpression): InSteps {
  const initial = compiler.evaluation(form.initial);
  const source = compiler.evaluation(form.list);
  const { scope: first, variable: sum } = compiler.scope.with(form.accumulator.text, 'value');
  const { scope, variable: item } = first.with(form.variable.text, staticItemType(form.list));
  const result = compiler.within(scope).evaluation(form.result);
  return function* (row, run) {
    const items = listOf(yield* valueOf(source, row, run));
    if (items === null) return null;
    let value = yield* valueOf(initial, row, run);
    for (const each of items) {
      run.tick();
      if (run.isPauseDue()) yield undefined;
      const { made } = run;
      value = yield* valueOf(result, extended(extended(row, sum.slot, value), item.slot, each), run);
      // Of what a step makes only its result stays.
      run.drop(made);
    }
    run.make(sizeOf(value));
    return value;
  };
}

/** Whether there is such a path; of a shortest path, the path itself. */
function patternTest(compiler: Compiler, { pattern, span }: PatternExpression): InSteps {
  const variable = { text: compiler.scope.unusedName('path'), span };
  const isShortest = pattern.shortest !== undefined;
  if (!isShortest) refuseNewVariables(compiler.scope, pattern);
  const compiled = compiler.subqueries.pattern(
    isShortest ? { ...pattern, variable } : pattern,
    compiler.scope,
  );
  if (!isShortest) return exists(compiled);
  const { slot } = compiled.scope.resolve(variable.text, span);
  if (pattern.shortest === 'all') return collected(compiled, (found) => found[slot] ?? null);
  return function* (row, run) {
    return (yield* first(compiled, row, run))?.[slot] ?? null;
  };
}

function refuseNewVariables(scope: Scope, { nodes, links }: PatternExpression['pattern']): void {
  for (const { variable } of [...nodes, ...links]) {
    if (variable === undefined || scope.find(variable.text) !== undefined) continue;
    const message = `a pattern in an expression defines no variable: \`${variable.text}\``;
    throw new SyntaxFault('UndefinedVariable', variable.span, message);
  }
}

function patternComprehension(compiler: Compiler, { pattern, where, result }: PatternComprehension): InSteps {
  const compiled = compiler.subqueries.pattern(pattern, compiler.scope);
  const inner = compiler.within(compiled.scope);
  const condition = where && inner.evaluation(where);
  const mapped = inner.evaluation(result);
  return function* (row, run) {
    const values: Value[] = [];
    for (const found of compiled.rows(row, run)) {
      run.tick();
      if (found === undefined) yield undefined;
      else if (condition === undefined || truthOf(yield* valueOf(condition, found, run)) === true) {
        run.make(1);
        values.push(yield* valueOf(mapped, found, run));
      }
    }
    return values;
  };
}

function subquery(compiler: Compiler, { form, query, span }: SubqueryExpression): InSteps {
  const compiled = compiler.subqueries.query(query, compiler.scope);
  switch (form) {
    case 'exists':
      return exists(compiled);
    case 'count':
      return count(compiled);
    case 'collect': {
      const [slot] = compiled.results;
      if (slot === undefined || compiled.results.length !== 1) {
        throw new SyntaxFault('InvalidClauseComposition', span, 'COLLECT { } returns exactly one column');
      }
      return collected(compiled, (found) => found[slot] ?? null);
    }
  }
}

function exists(compiled: CompiledSubquery): InSteps {
  return function* (row, run) {
    return (yield* first(compiled, row, run)) !== undefined;
  };
}

function count(compiled: CompiledSubquery): InSteps {
  return function* (outer, run) {
    let rows = 0n;
    for (const row of compiled.rows(outer, run)) {
      run.tick();
      if (row === undefined) yield undefined;
      else rows++;
    }
    return rows;
  };
}

function* first(subquery: CompiledSubquery, outer: Row, run: Run): Pausing<Row | undefined> {
  for (const row of subquery.rows(outer, run)) {
    run.tick();
    if (row !== undefined) return row;
    yield undefined;
  }
  return undefined;
}

/** What is made for a row of the subquery is dropped with it: its value is counted as a part of the list. */
function collected(compiled: CompiledSubquery, valueIn: (row: Row) => Value): InSteps {
  return function* (outer, run) {
    const values: Value[] = [];
    let size = 0;
    for (const row of compiled.rows(outer, run)) {
      run.tick();
      if (row === undefined) yield undefined;
      else {
        const value = valueIn(row);
        size += 1 + sizeOf(value);
        run.make(size);
        run.drop(run.made - size);
        values.push(value);
      }
    }
    run.make(size);
    return values;
  };
}

function listOf(value: Value): readonly Value[] | null {
  if (value === null || isList(value)) return value;
  throw typeFault(`expected a List after IN, got ${typeName(value)}`);
}
