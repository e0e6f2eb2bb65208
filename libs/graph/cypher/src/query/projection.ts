/** WITH and RETURN: items, aggregation, DISTINCT, ORDER BY, SKIP, LIMIT, WHERE. */
import {
  type AggregateResolver,
  type CompilerParts,
  ExpressionCompiler,
} from '../expression/compile-expression.ts';
import { allParts } from '../expression/parts.ts';
import { type Evaluate, type Evaluation, narrowed } from '../graph/run.ts';
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
import type { Weighting } from '../search/compile-search.ts';
import { aggregated, type Aggregation } from '../stage/aggregate.ts';
import { distinct, sorted, type SortKey } from '../stage/collected.ts';
import { ExpressionKeys } from '../stage/expression-key.ts';
import { compileCount, limited, skipped } from '../stage/limit.ts';
import { chained, columnsAdded, filtered, mapped, type Operator, shown, type Stage } from '../stage/stage.ts';

export interface CompiledProjection {
  readonly scope: Scope;
  /** The columns, in order. */
  readonly columns: readonly Variable[];
  readonly stage: Stage;
}

/** `weighting`: of rows that stand for several. */
export function compileProjection(
  clause: ProjectionClause,
  { scope, subqueries }: CompilerParts,
  weighting?: Weighting,
): CompiledProjection {
  return new ProjectionCompiler(clause, { scope, subqueries }, weighting).compile();
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
  readonly #weighting: Weighting | undefined;
  readonly #columns: readonly Column[];
  readonly #projected: Scope;
  readonly #expressions = new ExpressionKeys();
  readonly #aggregations: Aggregation[] = [];
  /** By the keys of their expressions. */
  readonly #aggregationSlots = new Map<number, number>();
  /** Of the columns that are variables or properties, and group: slots by the keys of their expressions. */
  readonly #groupSlots: ReadonlyMap<number, number>;
  /** Of the columns that are no variables or literals. */
  readonly #columnSlots: ReadonlyMap<number, number>;
  readonly #isAggregating: boolean;
  readonly #overGroups: ExpressionCompiler;
  readonly #overGroupsAndColumns: ExpressionCompiler;
  readonly #overColumns: ExpressionCompiler;

  constructor(
    clause: ProjectionClause,
    { scope: outer, subqueries }: CompilerParts,
    weighting: Weighting | undefined,
  ) {
    this.#clause = clause;
    this.#outer = outer;
    this.#subqueries = subqueries;
    this.#weighting = weighting;
    let projected = new Scope(outer.slots);
    this.#columns = this.#items().map(({ expression, name }) => {
      const { scope, variable } = projected.with(name, staticType(expression, outer));
      projected = scope;
      return { expression, variable, isAggregate: hasAggregate(expression) };
    });
    this.#projected = projected;
    this.#isAggregating = this.#columns.some(({ isAggregate }) => isAggregate);
    const [hasGroups, hasFurther] = [
      this.#isAggregating,
      clause.order.length > 0 || clause.where !== undefined,
    ];
    this.#groupSlots = this.#slotsOf(
      ({ expression: { kind }, isAggregate }) =>
        hasGroups && !isAggregate && (kind === 'property' || kind === 'variable'),
    );
    this.#columnSlots = this.#slotsOf(
      ({ expression: { kind } }) => hasFurther && kind !== 'literal' && kind !== 'variable',
    );
    const own = this.#columns.map(({ variable }) => variable);
    this.#overGroups = this.#groupCompiler([], (call) => this.#aggregate(call));
    this.#overGroupsAndColumns = this.#groupCompiler(own, (call) => this.#orderAggregate(call));
    this.#overColumns = this.#columnCompiler();
  }

  #slotsOf(isWanted: (column: Column) => boolean): ReadonlyMap<number, number> {
    return new Map(
      this.#columns
        .filter(isWanted)
        .map(({ expression, variable: { slot } }) => [this.#expressions.keyOf(expression), slot]),
    );
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
    if (where !== undefined) show('Filter', filtered(this.#overColumns.condition(where)), [where.span]);
    // Of what is returned, only the columns are read.
    if (this.#clause.kind === 'with') stages.push(mapped((row) => narrowed(row, slots)));
    refuseUnnamed(this.#clause);
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
    refuseEqualNames(whole);
    return whole;
  }

  /** Compiles the columns now; the stages are made when ORDER BY has added its own aggregates. */
  #projection(): () => readonly Stage[] {
    if (!this.#isAggregating) {
      const compiler = new ExpressionCompiler({ scope: this.#outer, subqueries: this.#subqueries });
      const evaluates = this.#columns.map(({ expression, variable: { slot } }) => ({
        slot,
        ...compiler.evaluation(expression),
      }));
      return () => [shown(columnsAdded(evaluates), { name: 'Projection', details: this.#spans() })];
    }
    const plain = new ExpressionCompiler({
      scope: this.#outer,
      subqueries: this.#subqueries,
      known: this.#weighting?.known,
    });
    const keys = this.#columns
      .filter(({ isAggregate }) => !isAggregate)
      .map(({ expression, variable: { slot } }) => ({ slot, ...plain.evaluation(expression) }));
    const evaluates = this.#columns
      .filter(({ isAggregate }) => isAggregate)
      .map(({ expression, variable: { slot } }) => ({ slot, ...this.#afterGrouping(expression) }));
    return () => {
      const results = { aggregations: this.#aggregations, columns: evaluates };
      return [
        shown(aggregated(keys, results, this.#weighting?.slot), {
          name: 'EagerAggregation',
          details: this.#spans(),
        }),
      ];
    };
  }

  #spans(): Operator['details'] {
    return this.#columns.map(({ expression }) => expression.span);
  }

  /** An expression over groups: of keys, constants and aggregates. */
  #afterGrouping(expression: Expression): Evaluation {
    try {
      return this.#overGroups.evaluation(expression);
    } catch (error) {
      throw this.#ambiguous(error, expression);
    }
  }

  #groupCompiler(further: readonly Variable[], aggregates: AggregateResolver): ExpressionCompiler {
    const named = this.#columns.flatMap(({ expression: key, variable, isAggregate }) =>
      !isAggregate && key.kind === 'variable' ? [{ ...variable, name: key.name }] : [],
    );
    return new ExpressionCompiler({
      scope: this.#outer.only([...named, ...further]),
      subqueries: this.#subqueries,
      aggregates,
      known: (part) => this.#slotIn(this.#groupSlots, part),
    });
  }

  #slotIn(slots: ReadonlyMap<number, number>, part: Expression): Evaluate | undefined {
    if (slots.size === 0 || part.kind === 'literal') return undefined;
    const slot = slots.get(this.#expressions.keyOf(part));
    return slot === undefined ? undefined : (row) => row[slot] ?? null;
  }

  /** In ORDER BY, an expression that is a column already is no fault of a name but of its place. */
  #unless(error: unknown, expression: Expression): unknown {
    const keys = this.#slotsOf(({ isAggregate }) => !isAggregate);
    const isColumn = [...allParts(expression)].some(
      (part) =>
        part.kind !== 'variable' && part.kind !== 'literal' && keys.has(this.#expressions.keyOf(part)),
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
    const key = this.#expressions.keyOf(call);
    const slot = this.#aggregationSlots.get(key) ?? this.#addAggregation(call, key);
    return (row) => row[slot] ?? null;
  }

  /** In ORDER BY: one that the columns have, or one that reads nothing that the grouping has taken away. */
  #orderAggregate(call: CallExpression): Evaluate {
    if (!this.#aggregationSlots.has(this.#expressions.keyOf(call))) {
      for (const part of allParts(call)) {
        if (part.kind === 'variable') this.#overColumns.scope.resolve(part.name, part.span);
      }
    }
    return this.#aggregate(call);
  }

  #addAggregation(call: CallExpression, key: number): number {
    const slot = this.#outer.slots.next();
    this.#aggregationSlots.set(key, slot);
    this.#aggregations.push({ slot, ...aggregationOf(call, this.#argumentCompiler()) });
    return slot;
  }

  /** An aggregate inside an aggregate has no rows of its own. */
  #argumentCompiler(): ExpressionCompiler {
    return new ExpressionCompiler({
      scope: this.#outer,
      subqueries: this.#subqueries,
      known: this.#weighting?.known,
      aggregates: ({ span }) => {
        throw new SyntaxFault('NestedAggregation', span, 'an aggregate cannot stand inside another one');
      },
    });
  }

  #order(): readonly SortKey[] {
    return this.#clause.order.map(({ expression, isDescending }) => ({
      ...this.#orderKey(expression),
      isDescending,
    }));
  }

  #orderKey(expression: Expression): Evaluation {
    if (!this.#isAggregating) return this.#overColumns.evaluation(expression);
    const column = this.#columnOf(expression);
    if (column !== undefined) return { evaluate: column };
    try {
      return this.#overGroupsAndColumns.evaluation(expression);
    } catch (error) {
      throw this.#unless(error, expression);
    }
  }

  /**
   * For ORDER BY and WHERE: columns, which hide variables of the same name, and what the columns were made of
   * where each row still has it.
   */
  #columnCompiler(): ExpressionCompiler {
    const own = this.#columns.map(({ variable }) => variable);
    const isGone = this.#isAggregating || this.#clause.isDistinct;
    const outer = isGone ? [] : this.#outer.variables.filter(({ name }) => !this.#projected.find(name));
    const scope = this.#outer.only([...outer, ...own]);
    return new ExpressionCompiler({
      scope,
      subqueries: this.#subqueries,
      known: (part) => this.#columnOf(part),
    });
  }

  /** A column that has the expression. */
  #columnOf(part: Expression): Evaluate | undefined {
    return part.kind === 'variable' ? undefined : this.#slotIn(this.#columnSlots, part);
  }
}

/** In WITH, what is no variable needs a name. */
function refuseUnnamed({ kind, items }: ProjectionClause): void {
  if (kind !== 'with') return;
  const unnamed = items.find(({ hasAlias, expression }) => !hasAlias && expression.kind !== 'variable');
  if (unnamed === undefined) return;
  throw new SyntaxFault('NoExpressionAlias', unnamed.span, 'an expression in WITH needs a name: AS');
}

function refuseEqualNames(items: readonly ProjectionItem[]): void {
  const names = new Set<string>();
  for (const { name, span } of items) {
    if (names.has(name))
      throw new SyntaxFault('ColumnNameConflict', span, `two columns have the name \`${name}\``);
    names.add(name);
  }
}

function sortDetails({ expression, isDescending }: OrderItem): Operator['details'] {
  return isDescending ? [expression.span, 'DESC'] : [expression.span];
}

function hasAggregate(expression: Expression): boolean {
  for (const part of allParts(expression)) {
    if (part.kind === 'call' && findAggregate(part.name) !== undefined) return true;
  }
  return false;
}

function refuseChance(argument: Expression): void {
  for (const part of allParts(argument)) {
    if (part.kind !== 'call' || part.name.toLowerCase() !== 'rand') continue;
    throw new SyntaxFault('NonConstantExpression', part.span, 'rand() cannot stand inside an aggregate');
  }
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
  for (const arg of call.args) refuseChance(arg);
  const args = call.args.map((arg) => compiler.evaluation(arg));
  const create = call.isDistinct ? () => new Distinct(found.create()) : () => found.create();
  return { args, create };
}
