/** Queries: clauses one after another, joined by UNION, alone and inside expressions. */
import { ExpressionCompiler } from '../expression/compile-expression.ts';
import { Scope, Slots, type Variable } from '../expression/scope.ts';
import type { CompiledSubquery, Rows, SubqueryCompiler } from '../expression/subqueries.ts';
import { compileMatch, optional } from '../match/compile-match.ts';
import type { Clause, PathPattern, ProjectionClause, Query, SubqueryClause } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { distinct } from '../stage/collected.ts';
import { compileCreate } from './create.ts';
import { compileProjection } from './projection.ts';
import { chained, flatMapped, mapped, single, type Stage } from '../stage/stage.ts';
import { unwound } from '../stage/unwind.ts';

export interface CompiledQuery {
  /** What follows may read; of a query with RETURN, its columns. */
  readonly scope: Scope;
  /** Undefined without RETURN. */
  readonly columns: readonly Variable[] | undefined;
  readonly stage: Stage;
}

interface State {
  readonly scope: Scope;
  readonly stages: readonly Stage[];
  readonly columns: readonly Variable[] | undefined;
}

const SUBQUERIES: SubqueryCompiler = {
  pattern: (pattern: PathPattern, scope: Scope): CompiledSubquery => {
    const match = compileMatch([pattern], undefined, { scope, subqueries: SUBQUERIES });
    return { scope: match.scope, results: [], rows: (outer, run) => match.stage(single(outer), run) };
  },
  query: (query: Query, scope: Scope): CompiledSubquery => {
    refuseUpdates(query);
    const compiled = compileQuery(query, scope, true);
    const results = compiled.columns?.map(({ slot }) => slot) ?? [];
    return { scope: compiled.scope, results, rows: (outer, run) => compiled.stage(single(outer), run) };
  },
};

const READING: ReadonlySet<Clause['kind']> = new Set([
  'match',
  'unwind',
  'with',
  'return',
  'subquery',
  'call',
]);

/** The first clause that changes the graph, at any depth of CALL. */
export function updatingClause({ parts }: Query): Clause | undefined {
  for (const clause of parts.flat()) {
    if (!READING.has(clause.kind)) return clause;
    const inner = clause.kind === 'subquery' ? updatingClause(clause.query) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function refuseUpdates(query: Query): void {
  const clause = updatingClause(query);
  if (clause === undefined) return;
  const message = `${clause.kind.toUpperCase()} cannot stand inside an expression`;
  throw new SyntaxFault('InvalidClauseComposition', clause.span, message);
}

/** A whole statement, for one empty row. */
export function compileStatement(query: Query): CompiledQuery {
  return compileQuery(query, new Scope(new Slots()), false);
}

/** `isNested`: in an expression, RETURN may be left out. */
function compileQuery(query: Query, scope: Scope, isNested: boolean): CompiledQuery {
  const parts = query.parts.map((clauses) => compileClauses(clauses, scope, isNested));
  const [first] = parts;
  if (first === undefined || parts.length === 1)
    return first ?? { scope, columns: undefined, stage: chained([]) };
  return union(query, parts, scope);
}

function compileClauses(clauses: readonly Clause[], scope: Scope, isNested: boolean): CompiledQuery {
  let state: State = { scope, stages: [], columns: undefined };
  for (const clause of clauses) {
    if (state.columns !== undefined) {
      throw new SyntaxFault('InvalidClauseComposition', clause.span, 'nothing follows RETURN but UNION');
    }
    state = withClause(state, clause);
  }
  const last = clauses.at(-1);
  const isWhole = state.columns !== undefined || last?.kind === 'create';
  if (!isWhole && !isNested && last !== undefined) {
    const message = `a query cannot end with ${last.kind.toUpperCase()}: add RETURN`;
    throw new SyntaxFault('InvalidClauseComposition', last.span, message);
  }
  return { scope: state.scope, columns: state.columns, stage: chained(state.stages) };
}

function withClause({ scope, stages }: State, clause: Clause): State {
  const parts = { scope, subqueries: SUBQUERIES };
  switch (clause.kind) {
    case 'match': {
      const match = compileMatch(clause.patterns, clause.where, parts);
      const stage = clause.isOptional ? optional(match) : match.stage;
      return { scope: match.scope, stages: [...stages, stage], columns: undefined };
    }
    case 'unwind': {
      const evaluate = new ExpressionCompiler(parts).compile(clause.list);
      const { scope: next, variable } = scope.declare(clause.variable, 'value');
      return { scope: next, stages: [...stages, unwound(variable.slot, evaluate)], columns: undefined };
    }
    case 'with':
    case 'return':
      return projected({ scope, stages, columns: undefined }, clause);
    case 'create': {
      const create = compileCreate(clause.patterns, parts);
      return { scope: create.scope, stages: [...stages, create.stage], columns: undefined };
    }
    case 'subquery':
      return withSubquery({ scope, stages, columns: undefined }, clause);
    default:
      throw new SyntaxFault(
        'NotSupported',
        clause.span,
        `${clause.kind.toUpperCase()} is not supported: statements only read`,
      );
  }
}

function projected({ scope, stages }: State, clause: ProjectionClause): State {
  const projection = compileProjection(clause, scope, SUBQUERIES);
  return {
    scope: projection.scope,
    stages: [...stages, projection.stage],
    columns: clause.kind === 'return' ? projection.columns : undefined,
  };
}

/** `CALL { … }`: the inner query runs for each row, with the variables that it imports. */
function withSubquery({ scope, stages }: State, clause: SubqueryClause): State {
  if (clause.transactions !== undefined) {
    throw new SyntaxFault(
      'NotSupported',
      clause.span,
      'IN TRANSACTIONS is not supported: statements only read',
    );
  }
  const inner = compileQuery(clause.query, importedScope(scope, clause), true);
  let next = scope;
  const columns = inner.columns ?? [];
  const added = columns.map(({ name, kind, slot }) => {
    scope.refuseTaken({ text: name, span: clause.span });
    const { scope: extended, variable } = next.with(name, kind);
    next = extended;
    return { from: slot, to: variable.slot };
  });
  const stage = flatMapped(function* (row, run): Rows {
    let isFound = false;
    for (const found of inner.stage(single(row), run)) {
      if (found === undefined) yield undefined;
      else if (inner.columns !== undefined) {
        isFound = true;
        yield joined(row, added, (slot) => found[slot] ?? null);
      }
    }
    if (inner.columns === undefined) yield row;
    else if (!isFound && clause.isOptional) yield joined(row, added, () => null);
  });
  return { scope: next, stages: [...stages, stage], columns: undefined };
}

function joined(
  row: Parameters<Stage>[0] extends Generator<infer R> ? Exclude<R, undefined> : never,
  added: readonly { readonly from: number; readonly to: number }[],
  valueAt: (slot: number) => (typeof row)[number],
): typeof row {
  const next = row.slice();
  for (const { from, to } of added) next[to] = valueAt(from);
  return next;
}

/** The older form imports by a first WITH, which lists variables only. */
function importedScope(scope: Scope, { imports, query }: SubqueryClause): Scope {
  if (imports === '*') return scope;
  if (imports !== undefined) {
    return scope.only(imports.map(({ text, span }) => scope.resolve(text, span)));
  }
  const first = query.parts.map(([clause]) => clause);
  return first.some((clause) => clause?.kind === 'with') ? scope : scope.only([]);
}

function union(query: Query, parts: readonly CompiledQuery[], outer: Scope): CompiledQuery {
  const [first] = parts;
  const names = first?.columns?.map(({ name }) => name);
  const isSame = parts.every(({ columns }) => {
    const own = columns?.map(({ name }) => name) ?? [];
    return own.length === names?.length && own.every((name) => names.includes(name));
  });
  if (names === undefined || !isSame) {
    const message = 'all parts of a UNION return columns of the same names';
    throw new SyntaxFault('DifferentColumnsInUnion', query.span, message);
  }
  let scope = new Scope(outer.slots);
  const columns = names.map((name) => {
    const next = scope.with(name, 'value');
    scope = next.scope;
    return next.variable;
  });
  const renamed = parts.map((part) => chained([part.stage, renaming(part.columns ?? [], columns)]));
  const all: Stage = function* (input, run) {
    for (const row of input) {
      if (row === undefined) yield undefined;
      else for (const stage of renamed) yield* stage(single(row), run);
    }
  };
  const isAll = query.unions[0]?.isAll === true;
  const stage = isAll ? all : chained([all, distinct(columns.map(({ slot }) => slot))]);
  return { scope, columns, stage };
}

function renaming(own: readonly Variable[], columns: readonly Variable[]): Stage {
  const slots = columns.map(({ name, slot }) => ({
    from: own.find((variable) => variable.name === name)?.slot ?? slot,
    to: slot,
  }));
  return mapped((row) => {
    const next: (typeof row)[number][] = [];
    for (const { from, to } of slots) next[to] = row[from] ?? null;
    return next;
  });
}
