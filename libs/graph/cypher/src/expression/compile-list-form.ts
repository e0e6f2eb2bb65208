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
import { isList, typeName, type Value } from '../value/value.ts';
import { truthOf } from './logic.ts';
import { type Evaluate, extended, type Row, type Run } from '../graph/run.ts';
import type { Scope } from './scope.ts';
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
  compile(expression: Expression): Evaluate;
}

export function compileListForm(compiler: Compiler, form: ListForm): Evaluate {
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

function listComprehension(
  compiler: Compiler,
  { variable, list, where, result }: ListComprehension,
): Evaluate {
  const source = compiler.compile(list);
  const { scope, variable: item } = compiler.scope.with(variable.text, 'value');
  const inner = compiler.within(scope);
  const condition = where && inner.compile(where);
  const evaluate = result && inner.compile(result);
  return (row, run) => {
    const items = listOf(source(row, run));
    if (items === null) return null;
    const kept: Value[] = [];
    for (const value of items) {
      run.tick();
      const next = extended(row, item.slot, value);
      if (condition !== undefined && truthOf(condition(next, run)) !== true) continue;
      kept.push(evaluate === undefined ? value : evaluate(next, run));
    }
    return kept;
  };
}

function quantifier(
  compiler: Compiler,
  { quantifier: kind, variable, list, where }: QuantifierExpression,
): Evaluate {
  const source = compiler.compile(list);
  const { scope, variable: item } = compiler.scope.with(variable.text, 'value');
  const condition = compiler.within(scope).compile(where);
  return (row, run) => {
    const items = listOf(source(row, run));
    if (items === null) return null;
    const truths = items.map((value) => {
      run.tick();
      return truthOf(condition(extended(row, item.slot, value), run));
    });
    return QUANTIFIED[kind](truths);
  };
}

const QUANTIFIED: Readonly<Record<QuantifierExpression['quantifier'], (truths: readonly Truth[]) => Truth>> =
  {
    any: (truths) => (truths.includes(true) ? true : truths.includes(null) ? null : false),
    all: (truths) => (truths.includes(false) ? false : truths.includes(null) ? null : true),
    none: (truths) => (truths.includes(true) ? false : truths.includes(null) ? null : true),
    single: (truths) => {
      const count = truths.filter((truth) => truth === true).length;
      return count > 1 ? false : truths.includes(null) ? null : count === 1;
    },
  };

function reduce(compiler: Compiler, form: ReduceExpression): Evaluate {
  const initial = compiler.compile(form.initial);
  const source = compiler.compile(form.list);
  const { scope: first, variable: sum } = compiler.scope.with(form.accumulator.text, 'value');
  const { scope, variable: item } = first.with(form.variable.text, 'value');
  const result = compiler.within(scope).compile(form.result);
  return (row, run) => {
    const items = listOf(source(row, run));
    if (items === null) return null;
    return items.reduce<Value>(
      (value, each) => {
        run.tick();
        return result(extended(extended(row, sum.slot, value), item.slot, each), run);
      },
      initial(row, run),
    );
  };
}

/** Whether there is such a path; of a shortest path, the path itself. */
function patternTest(compiler: Compiler, { pattern, span }: PatternExpression): Evaluate {
  const variable = { text: ' path', span };
  const isShortest = pattern.shortest !== undefined;
  if (!isShortest) refuseNewVariables(compiler.scope, pattern);
  const compiled = compiler.subqueries.pattern(
    isShortest ? { ...pattern, variable } : pattern,
    compiler.scope,
  );
  if (!isShortest) return (row, run) => first(compiled, row, run) !== undefined;
  const { slot } = compiled.scope.resolve(variable.text, span);
  if (pattern.shortest === 'one') return (row, run) => first(compiled, row, run)?.[slot] ?? null;
  return (row, run) => all(compiled, row, run).map((found) => found[slot] ?? null);
}

function refuseNewVariables(scope: Scope, { nodes, links }: PatternExpression['pattern']): void {
  for (const { variable } of [...nodes, ...links]) {
    if (variable === undefined || scope.find(variable.text) !== undefined) continue;
    const message = `a pattern in an expression defines no variable: \`${variable.text}\``;
    throw new SyntaxFault('UndefinedVariable', variable.span, message);
  }
}

function patternComprehension(
  compiler: Compiler,
  { pattern, where, result }: PatternComprehension,
): Evaluate {
  const compiled = compiler.subqueries.pattern(pattern, compiler.scope);
  const inner = compiler.within(compiled.scope);
  const condition = where && inner.compile(where);
  const evaluate = inner.compile(result);
  return (row, run) =>
    all(compiled, row, run)
      .filter((found) => condition === undefined || truthOf(condition(found, run)) === true)
      .map((found) => evaluate(found, run));
}

function subquery(compiler: Compiler, { form, query, span }: SubqueryExpression): Evaluate {
  const compiled = compiler.subqueries.query(query, compiler.scope);
  switch (form) {
    case 'exists':
      return (row, run) => first(compiled, row, run) !== undefined;
    case 'count':
      return (row, run) => BigInt(all(compiled, row, run).length);
    case 'collect': {
      const [slot] = compiled.results;
      if (slot === undefined || compiled.results.length !== 1) {
        throw new SyntaxFault('InvalidClauseComposition', span, 'COLLECT { } returns exactly one column');
      }
      return (row, run) => all(compiled, row, run).map((found) => found[slot] ?? null);
    }
  }
}

function first(subquery: CompiledSubquery, outer: Row, run: Run): Row | undefined {
  for (const row of subquery.rows(outer, run)) {
    run.tick();
    if (row !== undefined) return row;
  }
  return undefined;
}

function all(subquery: CompiledSubquery, outer: Row, run: Run): readonly Row[] {
  const rows: Row[] = [];
  for (const row of subquery.rows(outer, run)) {
    run.tick();
    if (row === undefined) continue;
    run.hold(row.length);
    rows.push(row);
  }
  return rows;
}

function listOf(value: Value): readonly Value[] | null {
  if (value === null || isList(value)) return value;
  throw typeFault(`expected a List after IN, got ${typeName(value)}`);
}
