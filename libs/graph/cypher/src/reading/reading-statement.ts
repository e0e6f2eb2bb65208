/** A statement that only reads, asked of many snapshots: the query of a rule. */
import { type GraphReader, memoryMaxOf } from '#graph/execution';
import type { Footprint, Warning } from '#graph/model';
import { type Clock, DomainError } from '#platform/foundation';
import { narrowed, type Row, type Run } from '../graph/run.ts';
import type { Variable } from '../expression/scope.ts';
import { SnapshotGraph, valueOfJson } from '../graph/snapshot-graph.ts';
import { parse, parseCondition } from '../parser/parse.ts';
import { compileCondition, compileStatement, updatingClause } from '../query/compile-query.ts';
import type { CompiledQuery } from '../query/compiled-query.ts';
import { jsonValueOf } from '../service/json-value.ts';
import { StatementRun } from '../service/statement-run.ts';
import { StatementNames } from '../service/unknown-names.ts';
import { single } from '../stage/stage.ts';
import type { CallClause, Expression, ParameterExpression, Query, Span } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { NodeValue, PathValue, type Value } from '../value/value.ts';
import { allParts } from '../syntax/all-parts.ts';
import { missingInCondition, missingNames } from './missing-names.ts';
import { footprintOf } from './statement-inputs.ts';

export interface ReadingLimits {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** A condition on the columns of a statement. */
export class ColumnCondition {
  readonly parameters: readonly string[];
  readonly tree: Expression;
  readonly holds: (row: Row, run: Run) => boolean;

  constructor(tree: Expression, holds: ColumnCondition['holds']) {
    this.tree = tree;
    this.holds = holds;
    this.parameters = parametersIn(tree);
  }
}

/** The result on one snapshot. */
export interface ReadRows {
  readonly count: number;
  /**
   * The node of a row: the value of its first column, or the start of that path; null where that is null;
   * undefined where it is another value.
   */
  nodeAt(row: number): number | null | undefined;
  /** The values of a row as JSON; a node, relationship or path stands for its id or ids. */
  valuesAt(row: number): readonly unknown[];
  /** Whether a row meets a condition of {@link ReadingStatement.condition}. */
  meets(row: number, condition: ColumnCondition): boolean;
}

const SCHEMA = {
  rules: [],
  change: (): never => {
    throw new DomainError('INVALID_REQUEST', 'this statement may only read');
  },
};
const CONNECTED = { aborted: false };
const MEMORY_MAX = memoryMaxOf({ queryMemory: 0 });

export class ReadingStatement {
  /** Without a semicolon and comments at its ends: it may stand in CALL { }. */
  readonly text: string;
  readonly columns: readonly Pick<Variable, 'name' | 'kind'>[];
  readonly parameters: readonly string[];
  readonly #query: Query;
  readonly #compiled: CompiledQuery;
  readonly #names: StatementNames;
  /** Types and labels of the nodes that it reads. */
  readonly #reads: Footprint['names'];

  /**
   * Throws CYPHER_SYNTAX with the place, also for a statement that writes, calls a procedure, shows a plan or
   * leaves out rows by SKIP or LIMIT after RETURN.
   */
  constructor(text: string) {
    const { mode, query } = parse(text);
    try {
      if (mode !== 'run') throw refusal({ start: 0, end: 0 }, 'EXPLAIN and PROFILE show plans, not results');
      refuseAllButRows(query);
      this.#compiled = compileStatement(query);
    } catch (error) {
      throw error instanceof SyntaxFault ? error.toDomainError(text) : error;
    }
    this.#query = query;
    this.text = text.slice(query.span.start, query.span.end);
    this.#names = new StatementNames(query);
    this.#reads = footprintOf([query], [])?.names ?? '*';
    this.columns = this.#compiled.columns ?? [];
    this.parameters = parametersIn(query);
  }

  /** Throws CYPHER_SYNTAX for anything but a condition on the columns. */
  condition(text: string): ColumnCondition {
    const tree = parseCondition(text);
    try {
      return new ColumnCondition(tree, compileCondition(tree, this.#compiled));
    } catch (error) {
      throw error instanceof SyntaxFault ? error.toDomainError(text) : error;
    }
  }

  /** What the rows depend on, and the conditions; undefined if they depend on the time or on chance. */
  footprint(conditions: readonly ColumnCondition[]): Footprint | undefined {
    return footprintOf(
      [this.#query],
      conditions.map(({ tree }) => tree),
    );
  }

  /** All rows, at once. Throws CYPHER_FAILED, MISSING_PARAMETER, QUERY_TIMEOUT and QUERY_TOO_LARGE. */
  run(reader: GraphReader, { parameters, timeoutMs, clock }: ReadingLimits): ReadRows {
    const values = new Map(Object.entries(parameters).map(([name, json]) => [name, valueOfJson(json)]));
    const run = new StatementRun({ graph: new SnapshotGraph(reader), schema: SCHEMA }, values, {
      clock,
      timeoutMs,
      deadlineMs: clock.monotonicMs() + timeoutMs,
      signal: CONNECTED,
      memoryMax: MEMORY_MAX,
    });
    const rows: Row[] = [];
    const all = this.#compiled.stage(single([]), run);
    const slots = (this.#compiled.columns ?? []).map(({ slot }) => slot);
    const take = (row: Row): boolean => {
      run.hold(slots.length + 1);
      rows.push(narrowed(row, slots));
      return true;
    };
    while (run.takeSlice(all, take) !== 'end');
    return new FoundRows(rows, slots, { reader, run });
  }

  /**
   * Of labels, types and properties that are not known and not in the data, anywhere in the statement. They
   * depend on what the footprint names: the nodes that the statement reads have the properties, or none has.
   */
  unknownNames(reader: GraphReader, isKnown: (name: string) => boolean): readonly Warning[] {
    return this.#names.missing(reader, isKnown, this.#reads).flatMap(({ warning }) => warning ?? []);
  }

  /** The names that may be why there are no rows. */
  missingNames(reader: GraphReader, mayBeAbsent: readonly string[]): readonly Warning[] {
    return missingNames(this.#query, reader, mayBeAbsent);
  }

  missingInCondition(
    condition: ColumnCondition,
    reader: GraphReader,
    mayBeAbsent: readonly string[],
  ): readonly Warning[] {
    return missingInCondition(this.#query, condition.tree, { reader, mayBeAbsent });
  }
}

class FoundRows implements ReadRows {
  readonly #rows: readonly Row[];
  readonly #slots: readonly number[];
  readonly #ground: { readonly reader: GraphReader; readonly run: StatementRun };

  constructor(
    rows: readonly Row[],
    slots: readonly number[],
    ground: { readonly reader: GraphReader; readonly run: StatementRun },
  ) {
    this.#rows = rows;
    this.#slots = slots;
    this.#ground = ground;
  }

  get count(): number {
    return this.#rows.length;
  }

  nodeAt(row: number): number | null | undefined {
    const first = this.#valueAt(row, this.#slots[0]);
    if (first === null) return null;
    const node = first instanceof PathValue ? first.nodes[0] : first;
    return node instanceof NodeValue ? node.node : undefined;
  }

  valuesAt(row: number): readonly unknown[] {
    const { reader } = this.#ground;
    const ids = {
      snapshotVersion: reader.snapshotVersion,
      entity: (node: number): unknown => reader.nodeField(node, '_id'),
      relationship: (link: number): unknown => reader.linkField(link, '_id'),
    };
    return this.#slots.map((slot) => jsonValueOf(this.#valueAt(row, slot), ids));
  }

  meets(row: number, condition: ColumnCondition): boolean {
    const { run } = this.#ground;
    run.check();
    return condition.holds(this.#rows[row] ?? [], run);
  }

  #valueAt(row: number, slot: number | undefined): Value {
    return slot === undefined ? null : (this.#rows[row]?.[slot] ?? null);
  }
}

/** Rows of the graph alone, all of them. */
function refuseAllButRows(query: Query): void {
  const update = updatingClause(query);
  if (update !== undefined) {
    const message = `${update.kind.toUpperCase()} changes the graph: expected a statement that only reads`;
    throw refusal(update.span, message);
  }
  for (const clauses of query.parts) {
    const last = clauses.at(-1);
    const cut = last?.kind === 'return' ? (last.skip ?? last.limit) : undefined;
    if (cut !== undefined) throw refusal(cut.span, 'all rows count: leave SKIP and LIMIT out after RETURN');
  }
  for (const part of allParts(query)) {
    if ('procedure' in part && 'yields' in part) {
      throw refusal(
        (part as CallClause).span,
        'procedures and SHOW read more than the graph: expected MATCH',
      );
    }
  }
}

function refusal(span: Span, message: string): SyntaxFault {
  return new SyntaxFault('InvalidClauseComposition', span, message, {
    code: 'Neo.ClientError.Statement.AccessMode',
  });
}

function parametersIn(tree: Query | Expression): readonly string[] {
  const names = new Set<string>();
  for (const part of allParts(tree)) {
    if ('kind' in part && part.kind === 'parameter') names.add((part as ParameterExpression).name);
  }
  return [...names];
}
