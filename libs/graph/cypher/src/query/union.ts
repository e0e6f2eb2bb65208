import { Scope, type Variable } from '../expression/scope.ts';
import { distinct } from '../stage/collected.ts';
import { chained, mapped, shown, single, type Stage } from '../stage/stage.ts';
import type { Query } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import type { CompiledQuery } from './compiled-query.ts';

/** The rows of all parts, under the names of the first one's columns. */
export function union(query: Query, parts: readonly CompiledQuery[], outer: Scope): CompiledQuery {
  const [first] = parts;
  const names = first?.columns?.map(({ name }) => name);
  const known = new Set(names);
  const isSame = parts.every(({ columns }) => {
    if (columns === undefined || names === undefined) return columns === names;
    return columns.length === names.length && columns.every(({ name }) => known.has(name));
  });
  if (!isSame) {
    const message = 'all parts of a UNION return columns of the same names';
    throw new SyntaxFault('DifferentColumnsInUnion', query.span, message);
  }
  if (names === undefined)
    return { scope: outer, columns: undefined, stage: chained([oneAfterAnother(parts)]) };
  let scope = new Scope(outer.slots);
  const columns = names.map((name) => {
    const next = scope.with(name, 'value');
    scope = next.scope;
    return next.variable;
  });
  const renamed = parts.map((part) => ({
    stage: chained([part.stage, renaming(part.columns ?? [], columns)]),
  }));
  const all = oneAfterAnother(renamed);
  const isAll = query.unions[0]?.isAll === true;
  if (isAll) return { scope, columns, stage: chained([all]) };
  const distinctRows = shown(distinct(columns.map(({ slot }) => slot)), { name: 'Distinct', details: names });
  const stage = chained([all, distinctRows]);
  return { scope, columns, stage };
}

function oneAfterAnother(parts: readonly Pick<CompiledQuery, 'stage'>[]): Stage {
  const all: Stage = function* (input, run) {
    for (const row of input) {
      if (row === undefined) yield undefined;
      else for (const { stage } of parts) yield* stage(single(row), run);
    }
  };
  return shown(all, { name: 'Union', details: [], inner: parts.map(({ stage }) => stage), isStart: true });
}

function renaming(own: readonly Variable[], columns: readonly Variable[]): Stage {
  const ownSlots = new Map(own.map(({ name, slot }) => [name, slot]));
  const slots = columns.map(({ name, slot }) => ({
    from: ownSlots.get(name) ?? slot,
    to: slot,
  }));
  return mapped((row) => {
    const next: (typeof row)[number][] = [];
    for (const { from, to } of slots) next[to] = row[from] ?? null;
    return next;
  });
}
