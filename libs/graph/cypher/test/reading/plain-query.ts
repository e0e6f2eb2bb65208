/** Clauses over lists of rows: each clause takes all rows and makes new ones. */
import type {
  Clause,
  Expression,
  MatchClause,
  ProjectionClause,
  Query,
  SubqueryClause,
} from '../../src/syntax/ast.ts';
import { PlainEvaluator } from './plain-expression.ts';
import { aggregatedValue } from './plain-function.ts';
import type { PlainGraph } from './plain-match.ts';
import { type Environment, isPlainList, ordered, type Plain, sameness, TooMuchWork } from './plain-value.ts';

const AGGREGATES: ReadonlySet<string> = new Set(['count', 'collect', 'sum', 'avg', 'min', 'max']);

const ROWS_MAX = 1_000;

/** What the interpreter does with clauses that write: it has the rows after them. */
export type PlainUpdate = (
  clause: Clause,
  rows: readonly Environment[],
  evaluator: PlainEvaluator,
) => readonly Environment[];

/** The rows of a query; each has its columns in order. Without `update`, of one that reads. */
export function plainRows(graph: PlainGraph, query: Query, update?: PlainUpdate): readonly Environment[] {
  return new Interpreter(graph, update).rows(query, new Map());
}

class Interpreter {
  readonly #evaluator: PlainEvaluator;
  readonly #update: PlainUpdate | undefined;

  constructor(graph: PlainGraph, update: PlainUpdate | undefined) {
    this.#evaluator = new PlainEvaluator(graph, (query, outer) => this.rows(query, outer));
    this.#update = update;
  }

  rows({ parts, unions }: Query, outer: Environment): readonly Environment[] {
    const [first = [], ...rest] = parts.map((clauses) => this.#part(clauses, outer));
    if (rest.length === 0) return first;
    const columns = [...([first, ...rest].find((rows) => rows.length > 0)?.[0]?.keys() ?? [])];
    const all = [first, ...rest].flat().map((row) => only(row, columns));
    return unions[0]?.isAll === true ? all : distinct(all);
  }

  #part(clauses: readonly Clause[], outer: Environment): readonly Environment[] {
    let rows: readonly Environment[] = [outer];
    for (const clause of clauses) {
      rows = this.#clause(clause, rows);
      if (rows.length > ROWS_MAX) throw new TooMuchWork();
    }
    return rows;
  }

  #clause(clause: Clause, rows: readonly Environment[]): readonly Environment[] {
    switch (clause.kind) {
      case 'match':
        return rows.flatMap((row) => this.#match(clause, row));
      case 'unwind':
        return rows.flatMap((row) => {
          const list = this.#evaluator.value(clause.list, row);
          const items = isPlainList(list) ? list : list === null ? [] : [list];
          return items.map((item) => new Map(row).set(clause.variable.text, item));
        });
      case 'with':
      case 'return':
        return this.#project(clause, rows);
      case 'subquery':
        return rows.flatMap((row) => this.#call(clause, row));
      default:
        if (this.#update === undefined) throw new Error(`the interpreter has no ${clause.kind}`);
        return this.#update(clause, rows, this.#evaluator);
    }
  }

  #match({ patterns, where, isOptional }: MatchClause, row: Environment): readonly Environment[] {
    const found = this.#evaluator.matcher.matches(patterns, where, row);
    if (found.length > 0 || !isOptional) return found;
    const padded = new Map(row);
    const inner = patterns.flatMap(({ links }) => links.flatMap(({ group }) => group?.path ?? []));
    for (const { variable, nodes, links } of [...patterns, ...inner]) {
      for (const name of [variable, ...nodes.map(named), ...links.map(named)]) {
        if (name !== undefined && !padded.has(name.text)) padded.set(name.text, null);
      }
    }
    return [padded];
  }

  #call({ imports, query, isOptional }: SubqueryClause, row: Environment): readonly Environment[] {
    const names = Array.isArray(imports)
      ? imports.map(({ text }: { text: string }) => text)
      : [...row.keys()];
    const found = this.rows(query, only(row, names));
    // A query that only writes keeps the row as it is.
    const last = query.parts[0]?.at(-1);
    if (last?.kind !== 'return') return [row];
    if (found.length > 0 || !isOptional) return found.map((each) => new Map([...row, ...each]));
    return [new Map([...row, ...last.items.map(({ name }) => [name, null] as const)])];
  }

  #project(clause: ProjectionClause, rows: readonly Environment[]): readonly Environment[] {
    const isAggregating = clause.items.some(({ expression }) => hasAggregate(expression));
    const isAlone = isAggregating || clause.isDistinct;
    let pairs = isAggregating
      ? this.#grouped(clause, rows)
      : rows.map((row) => ({ row, columns: this.#columns(clause, row) }));
    if (clause.isDistinct) pairs = firsts(pairs, ({ columns }) => sameRow(columns));
    const seen = pairs.map(({ row, columns }) => ({
      columns,
      scope: isAlone ? columns : new Map([...row, ...columns]),
    }));
    const sorted = seen.sort((a, b) => this.#order(clause, a.scope, b.scope));
    const [skip, limit] = [clause.skip, clause.limit].map(
      (count) => count && this.#evaluator.value(count, new Map()),
    );
    const from = Number(skip ?? 0);
    return sorted
      .slice(from, limit === undefined ? undefined : from + Number(limit))
      .filter(
        ({ scope }) => clause.where === undefined || this.#evaluator.truth(clause.where, scope) === true,
      )
      .map(({ columns }) => columns);
  }

  #columns({ isAll, items }: ProjectionClause, row: Environment): Environment {
    const own = items.map(({ name, expression }) => [name, this.#evaluator.value(expression, row)] as const);
    return new Map([...(isAll ? [...row].sort(([a], [b]) => (a < b ? -1 : 1)) : []), ...own]);
  }

  #order({ order }: ProjectionClause, left: Environment, right: Environment): number {
    for (const { expression, isDescending } of order) {
      const [a, b] = [left, right].map((row) => this.#evaluator.value(expression, row));
      const difference = ordered(a ?? null, b ?? null);
      if (difference !== 0) return isDescending ? -difference : difference;
    }
    return 0;
  }

  #grouped(
    { items }: ProjectionClause,
    rows: readonly Environment[],
  ): { readonly row: Environment; readonly columns: Environment }[] {
    const keys = items.filter(({ expression }) => !hasAggregate(expression));
    const groups = Map.groupBy(rows, (row) =>
      keys.map(({ expression }) => sameness(this.#evaluator.value(expression, row))).join('|'),
    );
    if (keys.length === 0 && rows.length === 0) groups.set('', []);
    return [...groups.values()].map((group) => {
      const [row = new Map<string, Plain>()] = group;
      const columns = new Map(
        items.map(({ name, expression }) => [name, this.#overGroup(expression, row, group)]),
      );
      return { row, columns };
    });
  }

  /** Aggregates become literals, then the rest is evaluated for one row of the group. */
  #overGroup(expression: Expression, row: Environment, group: readonly Environment[]): Plain {
    const results = new Map<string, Plain>(row);
    const replaced = replacedAggregates(expression, (call) => {
      const name = `aggregate ${String(results.size)}`;
      const { args } = call;
      const values = args === '*' ? group.map(() => true) : group.map((each) => this.#argument(args, each));
      results.set(name, aggregatedValue(call.name.toLowerCase(), values, call.isDistinct));
      return { kind: 'variable', name, span: call.span };
    });
    return this.#evaluator.value(replaced, results);
  }

  #argument([argument]: readonly Expression[], row: Environment): Plain {
    return argument === undefined ? null : this.#evaluator.value(argument, row);
  }
}

type Call = Extract<Expression, { kind: 'call' }>;

function isAggregate(value: unknown): value is Call {
  const { kind, name } = (value ?? {}) as { kind?: unknown; name?: unknown };
  return kind === 'call' && typeof name === 'string' && AGGREGATES.has(name.toLowerCase());
}

/** Subqueries have aggregates of their own. */
function isSubquery(value: object): boolean {
  return (value as { kind?: unknown }).kind === 'subquery';
}

function hasAggregate(value: unknown): boolean {
  if (isAggregate(value)) return true;
  if (typeof value !== 'object' || value === null || isSubquery(value)) return false;
  return Object.values(value).some(hasAggregate);
}

function replacedAggregates<T>(value: T, replace: (call: Call) => Expression): T {
  if (isAggregate(value)) return replace(value) as T;
  if (typeof value !== 'object' || value === null || isSubquery(value)) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => replacedAggregates(item, replace)) as T;
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => [
    key,
    replacedAggregates(item, replace),
  ]);
  return Object.fromEntries(entries) as T;
}

function named<T>({ variable }: { readonly variable: T }): T {
  return variable;
}

function only(row: Environment, names: readonly string[]): Environment {
  return new Map(names.map((name) => [name, row.get(name) ?? null]));
}

function sameRow(row: Environment): string {
  return [...row.values()].map(sameness).join('|');
}

function distinct(rows: readonly Environment[]): readonly Environment[] {
  return firsts(rows, sameRow);
}

function firsts<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...Map.groupBy(items, keyOf).values()].flatMap(([first]) => (first === undefined ? [] : [first]));
}
