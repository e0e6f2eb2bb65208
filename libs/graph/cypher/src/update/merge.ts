/** MERGE: the matches of a pattern, or, where there are none, the pattern itself as something new. */
import type { CompilerParts } from '../expression/compile-expression.ts';
import type { Scope } from '../expression/scope.ts';
import type { Rows } from '../expression/subqueries.ts';
import type { GraphWriter } from '../graph/graph-writer.port.ts';
import type { Pausing, Row, Run } from '../graph/run.ts';
import { compileMatch } from '../match/compile-match.ts';
import { single, type Stage } from '../stage/stage.ts';
import type { MergeClause, PathPattern } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { compileCreation } from './create.ts';
import { setChanges } from './set.ts';
import { inOrder, updatedInSteps } from './updated.ts';

export interface CompiledMerge {
  readonly scope: Scope;
  readonly stage: Stage;
}

export function compileMerge(
  { pattern, onCreate, onMatch }: MergeClause,
  parts: CompilerParts,
): CompiledMerge {
  refuseInlineWhere(pattern);
  const creation = compileCreation([pattern], parts, 'MERGE');
  const match = compileMatch([pattern], undefined, parts);
  const after = { ...parts, scope: match.scope };
  const [created, matched] = [inOrder(setChanges(onCreate, after)), inOrder(setChanges(onMatch, after))];
  const slots = match.added.map(({ name, slot }) => ({
    from: creation.scope.find(name)?.slot ?? slot,
    to: slot,
  }));
  const create = function* (row: Row, run: Run, writer: GraphWriter): Pausing<Row> {
    const made = row.slice();
    const pauses = creation.create(made, run, writer);
    if (pauses !== undefined) yield* pauses;
    const next = row.slice();
    for (const { from, to } of slots) next[to] = made[from] ?? null;
    return next;
  };
  const stage = updatedInSteps(function* (row, run, writer): Rows {
    const rows: Row[] = [];
    for (const found of match.stage(single(row), run)) {
      if (found === undefined) yield undefined;
      else rows.push(found);
    }
    const change = rows.length > 0 ? matched : created;
    if (rows.length === 0) rows.push(yield* create(row, run, writer));
    for (const each of rows) {
      const pauses = change(each, run, writer);
      if (pauses !== undefined) yield* pauses;
      yield each;
    }
  });
  return { scope: match.scope, stage };
}

function refuseInlineWhere({ nodes, links }: PathPattern): void {
  const where = [...nodes, ...links].find((element) => element.where !== undefined)?.where;
  if (where === undefined) return;
  throw new SyntaxFault('UnexpectedSyntax', where.span, 'a pattern of MERGE has no WHERE');
}
