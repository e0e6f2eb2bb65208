/** Quantified path patterns: matches of a path, one after another, of which no two share a relationship. */
import type { CompilerParts } from '../expression/compile-expression.ts';
import type { Scope, Variable } from '../expression/scope.ts';
import type { Rows } from '../expression/subqueries.ts';
import type { Row, Run } from '../graph/run.ts';
import { flatMapped, single, type Stage } from '../stage/stage.ts';
import type { NodePattern, RepeatedPath } from '../syntax/ast.ts';
import { type LinkValue, NodeValue, PathValue, type Value } from '../value/value.ts';
import { isUsed, type TrailStep } from './expand.ts';

type CompileMatch = (
  patterns: readonly RepeatedPath['path'][],
  where: RepeatedPath['where'],
  parts: CompilerParts,
) => { readonly scope: Scope; readonly stage: Stage };

/** The repeated path as a match from one of its ends, which is known, to the other one; all by slot. */
interface Way {
  readonly start: number;
  readonly end: number;
  readonly path: number;
  readonly variables: readonly number[];
  readonly stage: Stage;
}

export interface CompiledRepetition {
  readonly forward: Way;
  readonly backward: Way;
  /** Slots of the lists. */
  readonly lists: readonly number[];
}

export function compileRepetition(
  group: RepeatedPath,
  lists: readonly Variable[],
  parts: CompilerParts,
  compile: CompileMatch,
): CompiledRepetition {
  const names = lists.map(({ name }) => name);
  const way = (isReversed: boolean): Way => wayOf(group, { names, isReversed, parts, compile });
  return { forward: way(false), backward: way(true), lists: lists.map(({ slot }) => slot) };
}

interface WayParts {
  readonly names: readonly string[];
  readonly isReversed: boolean;
  readonly parts: CompilerParts;
  readonly compile: CompileMatch;
}

function wayOf({ path, where }: RepeatedPath, { names, isReversed, parts, compile }: WayParts): Way {
  const { span } = path;
  const last = path.nodes.length - 1;
  // Inside the condition of another repetition the names of that one are taken.
  const nameOf = (at: number, word: string): string =>
    path.nodes[at]?.variable?.text ?? parts.scope.unusedName(word);
  const [first, other, whole] = [nameOf(0, 'first'), nameOf(last, 'last'), parts.scope.unusedName('path')];
  const nodes = path.nodes.map((node, at) =>
    at === 0 ? named(node, first) : at === last ? named(node, other) : node,
  );
  const [known, wanted] = isReversed ? [other, first] : [first, other];
  const { scope, variable } = parts.scope.with(known, 'node');
  const { scope: inner, stage } = compile([{ ...path, nodes, variable: { text: whole, span } }], where, {
    scope,
    subqueries: parts.subqueries,
  });
  const slotOf = (name: string): number => inner.resolve(name, span).slot;
  return {
    start: variable.slot,
    end: slotOf(wanted),
    path: slotOf(whole),
    variables: names.map(slotOf),
    stage,
  };
}

function named(node: NodePattern, name: string): NodePattern {
  return node.variable === undefined ? { ...node, variable: { text: name, span: node.span } } : node;
}

interface RepetitionStep extends Omit<TrailStep, 'passes'> {
  readonly repetition: CompiledRepetition;
}

/** One repetition, with the values of its variables. */
export interface Turn {
  readonly links: readonly LinkValue[];
  readonly values: readonly Value[];
  /** The node at its other end. */
  readonly end: NodeValue;
}

export function repeated(step: RepetitionStep): Stage {
  const way = step.isReversed ? step.repetition.backward : step.repetition.forward;
  return flatMapped(function* (row, run): Rows {
    const start = row[step.from] ?? null;
    if (!(start instanceof NodeValue)) return;
    const turns: Turn[] = [];
    const open = [turnsFrom(way, row, { run, start })];
    if (step.min === 0) yield rowAt(step, row, { end: start, turns });
    for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
      const { value: found, done } = level.next();
      if (done === true) {
        open.pop();
        turns.pop();
        continue;
      }
      if (found === undefined || run.isPauseDue()) yield undefined;
      const turn = turnOf(way, found);
      if (turn === undefined || isTaken(step, row, { turn, turns })) continue;
      turns.push(turn);
      if (turns.length >= step.min) yield rowAt(step, row, { end: turn.end, turns });
      if (turns.length < step.max) open.push(turnsFrom(way, row, { run, start: turn.end }));
      else turns.pop();
    }
  });
}

export function turnsFrom(
  way: Way,
  row: Row,
  { run, start }: { readonly run: Run; readonly start: NodeValue },
): Rows {
  const inner = row.slice();
  inner[way.start] = start;
  return way.stage(single(inner), run);
}

export function turnOf(way: Way, found: Row | undefined): Turn | undefined {
  const [path, end] = [found?.[way.path], found?.[way.end]];
  if (!(path instanceof PathValue) || !(end instanceof NodeValue)) return undefined;
  return { links: path.links, end, values: way.variables.map((slot) => found?.[slot] ?? null) };
}

function isTaken(
  { others }: RepetitionStep,
  row: Row,
  { turn, turns }: { readonly turn: Turn; readonly turns: readonly Turn[] },
): boolean {
  const taken = new Set(turns.flatMap(({ links }) => links.map(({ link }) => link)));
  return turn.links.some(({ link }) => taken.has(link) || isUsed(row, others, link));
}

/** Undefined, which is a pause, where another node stands at the end. */
function rowAt(
  { to, isToBound, link, isReversed, repetition: { lists } }: RepetitionStep,
  row: Row,
  { end, turns }: { readonly end: NodeValue; readonly turns: readonly Turn[] },
): Row | undefined {
  const bound = row[to];
  if (isToBound && !(bound instanceof NodeValue && bound.node === end.node)) return undefined;
  const ordered = isReversed ? turns.toReversed() : turns;
  const next = row.slice();
  next[to] = end;
  next[link] = ordered.flatMap(({ links }) => links);
  for (const [index, slot] of lists.entries())
    next[slot] = ordered.map(({ values }) => values[index] ?? null);
  return next;
}
