/** WITH and RETURN: items, aggregation, DISTINCT, ORDER BY, SKIP, LIMIT, WHERE. */
import { ExpressionCompiler } from '../expression/compile-expression.ts';
import { allParts } from '../expression/parts.ts';
import type { Evaluate } from '../graph/run.ts';
import { Scope, type Variable } from '../expression/scope.ts';
import { staticType } from '../expression/static-type.ts';
import type { SubqueryCompiler } from '../expression/subqueries.ts';
import { CountRows, Distinct, findAggregate } from '../function/aggregates.ts';
import type {
  CallExpression,
  Expression,
  OrderItem,
  ProjectionClause,
  ProjectionItem,
} from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { aggregated, type Aggregation } from '../stage/aggregate.ts';
import { distinct, sorted, type SortKey } from '../stage/collected.ts';
import { expressionKey } from '../stage/expression-key.ts';
import { compileCount, limited, skipped } from '../stage/limit.ts';
import { chained, filtered, mapped, type Operator, shown, type Stage } from '../stage/stage.ts';

export interface CompiledProjection {
  readonly scope: Scope;
  /** The columns, in order. */
  readonly columns: readonly Variable[];
  readonly stage: Stage;
}

export function compileProjection(
  clause: ProjectionClause,
  scope: Scope,
  subqueries: SubqueryCompiler,
): CompiledProjection {
  return new ProjectionCompiler(clause, scope, subqueries).compile();
}

interface Column {
  readonly expression: Expression;
  readonly variable: Variable;
  readonly isAggregate: boolean;
}

class ProjectionCompiler {
  readonly #clause: ProjectionClause;
  readonly #outer: Scope;
  readonly #subqueries: SubqueryCompiler;
  readonly #columns: readonly Column[];
  readonly #projected: Scope;
  readonly #aggregations: Aggregation[] = [];
  /** By the text of their expressions. */
  readonly #aggregationSlots = new Map<string, number>();

  constructor(clause: ProjectionClause, outer: Scope, subqueries: SubqueryCompiler) {
    this.#clause = clause;
    this.#outer = outer;
    this.#subqueries = subqueries;
    let projected = new Scope(outer.slots);
    this.#columns = this.#items().map(({ expression, name }) => {
      const { scope, variable } = projected.with(name, staticType(expression, outer));
      projected = scope;
      return { expression, variable, isAggregate: hasAggregate(expression) };
    });
    this.#projected = projected;
  }

  compile(): CompiledProjection {
    const { isDistinct, skip, limit, where } = this.#clause;
    const variables = this.#columns.map(({ variable }) => variable);
    const slots = variables.map(({ slot }) => slot);
    const constant = new ExpressionCompiler({ scope: this.#outer, subqueries: this.#subqueries });
    const project = this.#projection();
    const order = this.#order();
    const stages = [...project()];
    const names = variables.map(({ name }) => name).join(', ');
    const show = (name: string, stage: Stage, details: Operator['details']): void => {
      stages.push(shown(stage, { name, details }));
    };
    if (isDistinct) show('Distinct', distinct(slots), [names]);
    if (order.length > 0) show('Sort', sorted(order), this.#clause.order.flatMap(sortDetails));
    if (skip !== undefined) show('Skip', skipped(compileCount('SKIP', skip, constant)), [skip.span]);
    if (limit !== undefined) show('Limit', limited(compileCount('LIMIT', limit, constant)), [limit.span]);
    if (where !== undefined) show('Filter', filtered(this.#afterColumns().condition(where)), [where.span]);
    stages.push(mapped((row) => only(row, slots)));
    return { scope: this.#projected, columns: variables, stage: chained(stages) };
  }

  /** With what `*` stands for, by name. */
  #items(): readonly ProjectionItem[] {
    const { kind, isAll, items, span } = this.#clause;
    const all = isAll ? this.#outer.variables.map(({ name }) => name).sort() : [];
    if (isAll && all.length === 0 && kind === 'return') {
      throw new SyntaxFault('NoVariablesInScope', span, '* stands for no variable here');
    }
    const starred = all.map((name) => ({
      expression: { kind: 'variable' as const, name, span },
      name,
      hasAlias: false,
      span,
    }));
    const whole = [...starred, ...items];
    const pattern = items.find(({ expression: { kind } }) => kind === 'pattern');
    if (pattern?.expression.kind === 'pattern' && pattern.expression.pattern.shortest === undefined) {
      throw new SyntaxFault(
        'UnexpectedSyntax',
        pattern.span,
        'a pattern is a condition: write exists((a)-->(b))',
      );
    }
    for (const [index, { name, span: place }] of whole.entries()) {
      if (whole.findIndex((other) => other.name === name) === index) continue;
      throw new SyntaxFault('ColumnNameConflict', place, `two columns have the name \`${name}\``);
    }
    return whole;
  }

  get #isAggregating(): boolean {
    const { order } = this.#clause;
    return (
      this.#columns.some(({ isAggregate }) => isAggregate) ||
      order.some((item) => hasAggregate(item.expression))
    );
  }

  /** Compiles the columns now; the stages are made when ORDER BY has added its own aggregates. */
  #projection(): () => readonly Stage[] {
    if (!this.#isAggregating) {
      const compiler = new ExpressionCompiler({ scope: this.#outer, subqueries: this.#subqueries });
      const evaluates = this.#columns.map(({ expression, variable: { slot } }) => ({
        slot,
        evaluate: compiler.compile(expression),
      }));
      return () => [shown(columnsAdded(evaluates), { name: 'Projection', details: this.#spans() })];
    }
    const plain = new ExpressionCompiler({ scope: this.#outer, subqueries: this.#subqueries });
    const keys = this.#columns
      .filter(({ isAggregate }) => !isAggregate)
      .map(({ expression, variable: { slot } }) => ({ slot, evaluate: plain.compile(expression) }));
    const evaluates = this.#columns
      .filter(({ isAggregate }) => isAggregate)
      .map(({ expression, variable: { slot } }) => ({ slot, evaluate: this.#afterGrouping(expression) }));
    return () => {
      const aggregate = chained([aggregated(keys, this.#aggregations), columnsAdded(evaluates)]);
      return [shown(aggregate, { name: 'EagerAggregation', details: this.#spans() })];
    };
  }

  #spans(): Operator['details'] {
    return this.#columns.map(({ expression }) => expression.span);
  }

  /** An expression over groups: of keys, constants and aggregates. */
  #afterGrouping(expression: Expression, further: readonly Variable[] = []): Evaluate {
    const keys = this.#columns.filter(({ isAggregate }) => !isAggregate);
    const simple = keys.filter(({ expression: key }) => key.kind === 'property' || key.kind === 'variable');
    const slots = new Map(simple.map((key) => [expressionKey(key.expression), key.variable.slot]));
    const named = keys.flatMap(({ expression: key, variable }) =>
      key.kind === 'variable' ? [{ ...variable, name: key.name }] : [],
    );
    const compiler = new ExpressionCompiler({
      scope: new Scope(this.#outer.slots).only([...named, ...further]),
      subqueries: this.#subqueries,
      aggregates: (call) => this.#aggregate(call),
      known: (part) => {
        const slot = part.kind === 'literal' ? undefined : slots.get(expressionKey(part));
        return slot === undefined ? undefined : (row) => row[slot] ?? null;
      },
    });
    try {
      return compiler.compile(expression);
    } catch (error) {
      throw further.length > 0 ? this.#unless(error, expression) : this.#ambiguous(error, expression);
    }
  }

  /** In ORDER BY, an expression that is a column already is no fault of a name but of its place. */
  #unless(error: unknown, expression: Expression): unknown {
    const keys = this.#columns.filter(({ isAggregate }) => !isAggregate);
    const columns = new Set(keys.map((column) => expressionKey(column.expression)));
    const isColumn = [...allParts(expression)].some(
      (part) => part.kind !== 'variable' && part.kind !== 'literal' && columns.has(expressionKey(part)),
    );
    return isColumn ? this.#ambiguous(error, expression) : error;
  }

  /** A variable that is known before the grouping only is no fault of its name. */
  #ambiguous(error: unknown, expression: Expression): unknown {
    if (!(error instanceof SyntaxFault) || error.kind !== 'UndefinedVariable') return error;
    const isKnown = [...allParts(expression)].some(
      (part) => part.kind === 'variable' && this.#outer.find(part.name) !== undefined,
    );
    if (!isKnown || !hasAggregate(expression)) return error;
    const message = 'beside an aggregate, an expression holds only constants and other columns';
    return new SyntaxFault('AmbiguousAggregationExpression', error.span, message);
  }

  #aggregate(call: CallExpression): Evaluate {
    const name = expressionKey(call);
    const slot = this.#aggregationSlots.get(name) ?? this.#addAggregation(call, name);
    return (row) => row[slot] ?? null;
  }

  #addAggregation(call: CallExpression, name: string): number {
    const slot = this.#outer.slots.next();
    this.#aggregationSlots.set(name, slot);
    this.#aggregations.push({ slot, ...aggregationOf(call, this.#argumentCompiler()) });
    return slot;
  }

  /** An aggregate inside an aggregate has no rows of its own. */
  #argumentCompiler(): ExpressionCompiler {
    return new ExpressionCompiler({
      scope: this.#outer,
      subqueries: this.#subqueries,
      aggregates: ({ span }) => {
        throw new SyntaxFault('NestedAggregation', span, 'an aggregate cannot stand inside another one');
      },
    });
  }

  #order(): readonly SortKey[] {
    return this.#clause.order.map(({ expression, isDescending }) => ({
      evaluate: this.#orderKey(expression),
      isDescending,
    }));
  }

  #orderKey(expression: Expression): Evaluate {
    if (!this.#isAggregating) return this.#afterColumns().compile(expression);
    return this.#columnOf()(expression) ?? this.#afterGrouping(expression, this.#projected.variables);
  }

  /**
   * For ORDER BY and WHERE: columns, which hide variables of the same name, and what the columns were made of
   * where each row still has it.
   */
  #afterColumns(): ExpressionCompiler {
    const own = this.#columns.map(({ variable }) => variable);
    const isGone = this.#isAggregating || this.#clause.isDistinct;
    const outer = isGone ? [] : this.#outer.variables.filter(({ name }) => !this.#projected.find(name));
    const scope = this.#outer.only([...outer, ...own]);
    return new ExpressionCompiler({ scope, subqueries: this.#subqueries, known: this.#columnOf() });
  }

  /** A column that has the expression. */
  #columnOf(): (part: Expression) => Evaluate | undefined {
    const slots = new Map(
      this.#columns
        .filter(({ expression }) => expression.kind !== 'literal' && expression.kind !== 'variable')
        .map(({ expression, variable }) => [expressionKey(expression), variable.slot]),
    );
    return (part) => {
      if (part.kind === 'literal' || part.kind === 'variable') return undefined;
      const slot = slots.get(expressionKey(part));
      return slot === undefined ? undefined : (row) => row[slot] ?? null;
    };
  }
}

function sortDetails({ expression, isDescending }: OrderItem): Operator['details'] {
  return isDescending ? [expression.span, 'DESC'] : [expression.span];
}

function columnsAdded(columns: readonly { readonly slot: number; readonly evaluate: Evaluate }[]): Stage {
  return mapped((row, run) => {
    const next = row.slice();
    for (const { slot, evaluate } of columns) next[slot] = evaluate(row, run);
    return next;
  });
}

function only(row: Parameters<Evaluate>[0], slots: readonly number[]): Parameters<Evaluate>[0] {
  const next: Parameters<Evaluate>[0][number][] = [];
  for (const slot of slots) next[slot] = row[slot] ?? null;
  return next;
}

function hasAggregate(expression: Expression): boolean {
  for (const part of allParts(expression)) {
    if (part.kind === 'call' && findAggregate(part.name) !== undefined) return true;
  }
  return false;
}

function aggregationOf(call: CallExpression, compiler: ExpressionCompiler): Omit<Aggregation, 'slot'> {
  if (call.args === '*') {
    if (call.name.toLowerCase() === 'count') return { args: [], create: () => new CountRows() };
    throw new SyntaxFault('InvalidNumberOfArguments', call.span, 'only count(*) takes a *');
  }
  const found = findAggregate(call.name);
  if (found?.args !== call.args.length) {
    const message = `${call.name}() takes ${found?.args ?? 0} arguments, got ${call.args.length}`;
    throw new SyntaxFault('InvalidNumberOfArguments', call.span, message);
  }
  const args = call.args.map((arg) => compiler.compile(arg));
  const create = call.isDistinct ? () => new Distinct(found.create()) : () => found.create();
  return { args, create };
}
