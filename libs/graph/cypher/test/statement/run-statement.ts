/** One statement over a graph in memory, without the service around it. */
import { DomainError } from '#platform/foundation';
import type { Run } from '../../src/graph/run.ts';
import { parse } from '../../src/parser/parse.ts';
import { compileStatement } from '../../src/query/compile-query.ts';
import { single } from '../../src/stage/stage.ts';
import { SyntaxFault } from '../../src/syntax/fault.ts';
import type { Value } from '../../src/value/value.ts';
import type { TransactionGraph } from '../../src/overlay/transaction-graph.ts';
import { TransactionSchema } from '../../src/schema/transaction-schema.ts';
import { writtenValue } from '../tck/tck-value.ts';
import { emptyGraph } from './empty-graph.ts';

/** 2026-03-04T05:06:07.089Z */
export const NOW_MS = Date.UTC(2026, 2, 4, 5, 6, 7, 89);

/** Of each row, its values as the conformance kit writes them; of a refused statement, why. */
export function rowsOf(
  text: string,
  graph = emptyGraph(),
  parameters: ReadonlyMap<string, Value> = new Map(),
): readonly string[] | string {
  try {
    const { columns = [], stage } = compileStatement(parse(text).query);
    const rows: string[] = [];
    for (const row of stage(single([]), runOver(graph, parameters))) {
      if (row === undefined) continue;
      rows.push(columns.map(({ slot }) => writtenValue(row[slot] ?? null, graph)).join(' | '));
    }
    return rows;
  } catch (error) {
    const fault = error instanceof SyntaxFault ? error.toDomainError(text) : error;
    if (!(fault instanceof DomainError)) throw fault;
    return fault.message;
  }
}

export function runOver(
  graph: TransactionGraph,
  parameters: ReadonlyMap<string, Value>,
  isPauseDue = (): boolean => false,
): Run {
  const nothing = (): void => undefined;
  return {
    graph,
    writer: graph,
    schema: new TransactionSchema([]),
    parameters,
    nowMs: NOW_MS,
    realtimeMs: () => NOW_MS + 1,
    varies: nothing,
    random: () => 0.5,
    tick: nothing,
    isPauseDue,
    hold: nothing,
    keep: nothing,
    make: nothing,
    made: 0,
    drop: nothing,
  };
}

/** The value of an expression, or why there is none. */
export function valueOf(expression: string): string {
  const rows = rowsOf(`RETURN ${expression} AS value`);
  return typeof rows === 'string' ? rows : (rows[0] ?? 'no row');
}
