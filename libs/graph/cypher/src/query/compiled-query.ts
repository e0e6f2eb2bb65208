import type { Scope, Variable } from '../expression/scope.ts';
import type { Stage } from '../stage/stage.ts';
import type { Span } from '../syntax/ast.ts';

export interface CompiledQuery {
  /** What follows may read; of a query with RETURN, its columns. */
  readonly scope: Scope;
  /** Undefined without RETURN. */
  readonly columns: readonly Variable[] | undefined;
  readonly stage: Stage;
}

export interface CompiledStatement extends CompiledQuery {
  /** That it needs, each with its first place. */
  readonly parameters: ReadonlyMap<string, Span>;
}
