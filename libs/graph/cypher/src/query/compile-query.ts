/** Queries: clauses one after another, joined by UNION, alone and inside expressions. */
import { type CompilerParts, ExpressionCompiler } from '../expression/compile-expression.ts';
import { Scope, Slots, type Variable } from '../expression/scope.ts';
import type { CompiledSubquery, Rows, SubqueryCompiler } from '../expression/subqueries.ts';
import { compileSearch } from '../search/compile-search.ts';
import type { LeadingMatch } from '../search/search-shape.ts';
import { compileMatch, optional } from '../match/compile-match.ts';
import { extended, type Row, type Run, valuesInSteps } from '../graph/run.ts';
import type {
  CallClause,
  Clause,
  Expression,
  ForeachClause,
  PathPattern,
  ProjectionClause,
  Query,
  SchemaClause,
  SubqueryClause,
} from '../syntax/ast.ts';
import type { Procedures } from '../graph/procedure.port.ts';
import { PROCEDURES } from '../procedure/procedures.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { typeFault } from '../value/arithmetic.ts';
import { isList, typeName } from '../value/value.ts';
import { inTransactions } from '../update/in-transactions.ts';
import { compileCreate } from '../update/create.ts';
import { compileDelete } from '../update/delete.ts';
import { compileMerge } from '../update/merge.ts';
import { compileRemove, compileSet } from '../update/set.ts';
import { updatedInSteps, wholly } from '../update/updated.ts';
import { compileCall } from './call.ts';
import type { CompiledQuery, CompiledStatement } from './compiled-query.ts';
import { compileProjection } from './projection.ts';
import { union } from './union.ts';
import { chained, filtered, flatMapped, mapped, shown, single, type Stage } from '../stage/stage.ts';
import { unwound } from '../stage/unwind.ts';

interface State {
  readonly scope: Scope;
  readonly stages: readonly Stage[];
  readonly columns: readonly Variable[] | undefined;
  /** The clauses so far, where all of them are matches that nothing stands before. */
  readonly leading?: readonly LeadingMatch[] | undefined;
}

const SUBQUERIES: SubqueryCompiler = {
  pattern: (pattern: PathPattern, scope: Scope): CompiledSubquery => {
    const match = compileMatch([pattern], undefined, { scope, subqueries: SUBQUERIES });
    return { scope: match.scope, results: [], rows: (outer, run) => match.stage(single(outer), run) };
  },
  query: (query: Query, scope: Scope): CompiledSubquery => {
    refuseUpdates(query);
    refuseFinish(query);
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
  'finish',
]);

/** What a statement does; a statement that only writes has no rows. */
export function statementKind(query: Query, hasColumns: boolean): 'r' | 'rw' | 'w' | 's' {
  const update = updatingClause(query);
  if (update === undefined) return 'r';
  if (update.kind === 'schema') return 's';
  return hasColumns ? 'rw' : 'w';
}

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

/** A query in an expression is there for its rows. */
function refuseFinish({ parts }: Query): void {
  const finish = parts.map((clauses) => clauses.at(-1)).find((clause) => clause?.kind === 'finish');
  if (finish === undefined) return;
  const message = 'FINISH leaves no rows: it cannot end a query inside an expression';
  throw new SyntaxFault('InvalidClauseComposition', finish.span, message);
}

/** A whole statement, for one empty row. */
export function compileStatement(query: Query, procedures: Procedures = PROCEDURES): CompiledStatement {
  const slots = new Slots(procedures);
  return { ...compileQuery(query, new Scope(slots), false), parameters: slots.parameters };
}

/** A condition on the columns of a query. Throws SyntaxFault. */
export function compileCondition(
  condition: Expression,
  { scope }: Pick<CompiledQuery, 'scope'>,
): (row: Row, run: Run) => boolean {
  const { evaluate } = new ExpressionCompiler({ scope, subqueries: SUBQUERIES }).condition(condition);
  return (row, run) => evaluate(row, run) === true;
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
  const [only] = clauses;
  if (only?.kind === 'call' && clauses.length === 1 && !isNested) return standaloneCall(only, scope);
  refuseAfterEnd(clauses);
  let state = emptyState(scope);
  for (const clause of clauses) state = withClause(state, clause);
  const last = clauses.at(-1);
  const isWhole = state.columns !== undefined || (last !== undefined && mayEnd(last));
  if (!isWhole && !isNested && last !== undefined) {
    const message = `a query cannot end with ${last.kind.toUpperCase()}: add RETURN`;
    throw new SyntaxFault('InvalidClauseComposition', last.span, message);
  }
  return { scope: state.scope, columns: state.columns, stage: chained(state.stages) };
}

function emptyState(scope: Scope): State {
  const leading = scope.variables.length === 0 ? [] : undefined;
  return { scope, stages: [], columns: undefined, leading };
}

function refuseAfterEnd(clauses: readonly Clause[]): void {
  const end = clauses.findIndex(({ kind }) => kind === 'return' || kind === 'finish');
  const [last, further] = [clauses[end], clauses[end + 1]];
  if (last === undefined || further === undefined) return;
  const message = `nothing follows ${last.kind.toUpperCase()} but UNION`;
  throw new SyntaxFault('InvalidClauseComposition', further.span, message);
}

/** Whether a query may end here without RETURN: with a change, or FINISH. */
function mayEnd(clause: Clause): boolean {
  if (clause.kind === 'subquery') return updatingClause(clause.query) !== undefined;
  if (clause.kind === 'finish') return true;
  return !READING.has(clause.kind);
}

/** A call that is the whole statement; a procedure without columns is run for what it does. */
function standaloneCall(clause: CallClause, scope: Scope): CompiledQuery {
  const call = compileCall(clause, { scope, subqueries: SUBQUERIES }, true);
  if (call.columns.length > 0) return call;
  return {
    scope: call.scope,
    columns: undefined,
    stage: chained([call.stage, noRows]),
  };
}

const noRows = filtered({ evaluate: () => false });

function withCall({ scope, stages }: State, clause: CallClause): State {
  const call = compileCall(clause, { scope, subqueries: SUBQUERIES }, false);
  const stage = clause.isOptional ? optional({ ...call, added: call.columns }) : call.stage;
  return { scope: call.scope, stages: [...stages, stage], columns: undefined };
}

function withClause({ scope, stages, leading }: State, clause: Clause): State {
  const parts = { scope, subqueries: SUBQUERIES };
  switch (clause.kind) {
    case 'match': {
      const match = compileMatch(clause.patterns, clause.where, parts);
      const stage = clause.isOptional ? optional(match) : match.stage;
      const { where, isOptional, span } = clause;
      const { graph } = match;
      return {
        scope: match.scope,
        stages: [...stages, stage],
        columns: undefined,
        leading: leading && graph && [...leading, { graph, where, isOptional, span }],
      };
    }
    case 'unwind': {
      const evaluation = new ExpressionCompiler(parts).evaluation(clause.list);
      const { scope: next, variable } = scope.declare(clause.variable, 'value');
      return {
        scope: next,
        stages: [
          ...stages,
          shown(unwound(variable.slot, evaluation), { name: 'Unwind', details: [clause.list.span] }),
        ],
        columns: undefined,
      };
    }
    case 'with':
    case 'return':
      return projected({ scope, stages, columns: undefined, leading }, clause);
    case 'subquery':
      return withSubquery({ scope, stages, columns: undefined }, clause);
    case 'call':
      return withCall({ scope, stages, columns: undefined }, clause);
    case 'finish':
      return { scope, stages: [...stages, noRows], columns: undefined };
    default: {
      const { scope: next, stage } = compileUpdate(clause, parts);
      const step = shown(stage, { name: UPDATE_OPERATORS[clause.kind], details: [clause.span] });
      return { scope: next, stages: [...stages, step], columns: undefined };
    }
  }
}

const UPDATE_OPERATORS: Readonly<Record<UpdateClause['kind'], string>> = {
  create: 'Create',
  merge: 'Merge',
  set: 'Set',
  remove: 'Remove',
  delete: 'Delete',
  foreach: 'Foreach',
  schema: 'Schema',
};

type UpdateClause = Exclude<
  Clause,
  { readonly kind: 'match' | 'unwind' | 'with' | 'return' | 'subquery' | 'call' | 'finish' }
>;

interface CompiledUpdate {
  readonly scope: Scope;
  readonly stage: Stage;
}

function compileUpdate(clause: UpdateClause, parts: CompilerParts): CompiledUpdate {
  const { scope } = parts;
  switch (clause.kind) {
    case 'create':
      return compileCreate(clause.patterns, parts);
    case 'merge':
      return compileMerge(clause, parts);
    case 'set':
      return { scope, stage: compileSet(clause.items, parts) };
    case 'remove':
      return { scope, stage: compileRemove(clause.items, parts) };
    case 'delete':
      return { scope, stage: compileDelete(clause, parts) };
    case 'foreach':
      return { scope, stage: compileForeach(clause, parts) };
    case 'schema':
      return { scope, stage: changing(clause) };
  }
}

function changing({ command }: SchemaClause): Stage {
  return mapped((row, run) => {
    run.schema.change(command);
    return row;
  });
}

/** The updates for each item of a list; null is no list. */
function compileForeach({ list, variable, updates }: ForeachClause, parts: CompilerParts): Stage {
  const evaluation = new ExpressionCompiler(parts).evaluation(list);
  const { scope, variable: item } = parts.scope.declare(variable, 'value');
  const { stage } = compileClauses(updates, scope, true);
  return updatedInSteps(function* (row, run): Rows {
    const [value = null] = yield* valuesInSteps([evaluation], row, run);
    if (value !== null && !isList(value))
      throw typeFault(`expected a List in FOREACH, got ${typeName(value)}`);
    for (const each of value ?? []) {
      const updated = stage(single(extended(row, item.slot, each)), run);
      while (updated.next().done !== true) yield undefined;
    }
    yield row;
  });
}

function projected({ scope, stages, leading = [] }: State, clause: ProjectionClause): State {
  const parts = { scope, subqueries: SUBQUERIES };
  const search = leading.length === 0 ? undefined : compileSearch(leading, clause, parts);
  const projection = compileProjection(clause, parts, search?.weighting);
  const before = search === undefined ? stages : [search.over(chained(stages))];
  return {
    scope: projection.scope,
    stages: [...before, projection.stage],
    columns: clause.kind === 'return' ? projection.columns : undefined,
  };
}

/** `CALL { … }`: the inner query runs for each row, with the variables that it imports. */
function withSubquery({ scope, stages }: State, clause: SubqueryClause): State {
  const inner = compileQuery(clause.query, importedScope(scope, clause), true);
  let next = scope;
  const columns = inner.columns ?? [];
  const added = columns.map(({ name, kind, slot }) => {
    scope.refuseTaken({ text: name, span: clause.span });
    const { scope: extended, variable } = next.with(name, kind);
    next = extended;
    return { from: slot, to: variable.slot };
  });
  const withNulls = (row: Row): Row => joined(row, added, () => null);
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
    else if (!isFound && clause.isOptional) yield withNulls(row);
  });
  const called = calledStage(clause, { stage, withNulls }, { outer: scope, scope: next });
  const details = columns.map(({ name }) => name);
  const step = shown(called.stage, { name: 'Apply', details, inner: [inner.stage] });
  return { scope: called.scope, stages: [...stages, step], columns: undefined };
}

/** What changes the graph takes all rows before it begins, like any clause that does. */
function calledStage(
  { query, transactions }: SubqueryClause,
  call: { readonly stage: Stage; readonly withNulls: (row: Row) => Row },
  { outer, scope }: { readonly outer: Scope; readonly scope: Scope },
): { readonly scope: Scope; readonly stage: Stage } {
  if (transactions === undefined) {
    return { scope, stage: updatingClause(query) === undefined ? call.stage : wholly(call.stage) };
  }
  const status = transactions.status && scope.declare(transactions.status, 'map');
  const statusSlot = status?.variable.slot;
  const stage = inTransactions({ ...call, statusSlot }, transactions, {
    scope: outer,
    subqueries: SUBQUERIES,
  });
  return { scope: status?.scope ?? scope, stage };
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
