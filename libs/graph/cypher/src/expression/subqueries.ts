import type { PathPattern, Query } from '../syntax/ast.ts';
import type { Row, Run } from '../graph/run.ts';
import type { Scope } from './scope.ts';

/** Rows on demand; undefined in between offers a pause to the caller. */
export type Rows = Generator<Row | undefined, void>;

/** A query inside an expression, for each row of the outer one. */
export interface CompiledSubquery {
  /** What its rows hold beside the outer ones. */
  readonly scope: Scope;
  /** Slots of what its RETURN names, in order; empty without RETURN. */
  readonly results: readonly number[];
  rows(outer: Row, run: Run): Rows;
}

/** Compiles what an expression contains but does not know: patterns and whole queries. */
export interface SubqueryCompiler {
  pattern(pattern: PathPattern, scope: Scope): CompiledSubquery;
  query(query: Query, scope: Scope): CompiledSubquery;
}
