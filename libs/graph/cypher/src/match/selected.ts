/**
 * A path pattern with a selector: `SHORTEST 2 (a)-[:R]->+(b)`. The selector chooses among the paths of each
 * pair of ends that meet what stands in the pattern; WHERE of the clause is applied to those it has chosen.
 */
import { type CompilerParts, ExpressionCompiler } from '../expression/compile-expression.ts';
import { possibleTypes } from '../expression/labels.ts';
import { namesIn } from '../expression/parts.ts';
import type { Scope, Variable } from '../expression/scope.ts';
import type { Rows } from '../expression/subqueries.ts';
import { type Evaluation, type Pausing, type Row, type Run, valuesInSteps } from '../graph/run.ts';
import { chained, filtered, flatMapped, shown, single, type Stage } from '../stage/stage.ts';
import type { Expression, LinkDirection, LinkPattern, NodePattern, PathPattern } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { LinkValue, NodeValue } from '../value/value.ts';
import { type LinkElement, type PatternGraph, patternGraphOf } from './pattern-graph.ts';
import { compileRepetition, turnOf, turnsFrom } from './repeated.ts';
import { type Segment, SelectedSearch, type SelectedStep } from './selected-search.ts';
import { TrailRows } from './trail-rows.ts';

type CompileMatch = (
  patterns: readonly PathPattern[],
  where: Expression | undefined,
  parts: CompilerParts,
) => CompiledSelection;

export interface CompiledSelection {
  readonly scope: Scope;
  readonly added: readonly Variable[];
  readonly stage: Stage;
}

export function compileSelected(
  patterns: readonly PathPattern[],
  where: Expression | undefined,
  parts: CompilerParts,
  compile: CompileMatch,
): CompiledSelection {
  const [pattern, other] = patterns;
  if (pattern?.selector === undefined || other !== undefined) throw severalFault(patterns);
  if (pattern.links.length === 0) return compileNode(pattern, where, parts, compile);
  return new SelectionCompiler(pattern, parts, compile).compile(where);
}

/** A node alone is the only path between itself and itself. */
function compileNode(
  pattern: PathPattern,
  where: Expression | undefined,
  parts: CompilerParts,
  compile: CompileMatch,
): CompiledSelection {
  const condition = conjunctionOf([...conjunctsOf(pattern.where), ...conjunctsOf(where)]);
  return compile([{ ...pattern, selector: undefined }], condition, parts);
}

function severalFault(patterns: readonly PathPattern[]): SyntaxFault {
  const { span } = patterns.find(({ selector }) => selector !== undefined)?.selector ?? { span: NOWHERE };
  const message = 'a MATCH with a path selector has one pattern';
  return new SyntaxFault('InvalidClauseComposition', span, message, { hint: 'write a MATCH for each' });
}

const NOWHERE = { start: 0, end: 0 };

/** A node of the pattern, which may be looked for, or tested where it stands. */
interface Place {
  readonly pattern: NodePattern;
  readonly name: string;
  /** Of the value that an earlier clause has given it. */
  readonly boundSlot: number | undefined;
  /** In the rows of the pattern. */
  readonly slot: number;
}

class SelectionCompiler {
  readonly #pattern: PathPattern;
  readonly #parts: CompilerParts;
  readonly #compile: CompileMatch;
  readonly #graph: PatternGraph;
  readonly #names: ReadonlySet<string>;
  readonly #places: readonly Place[];
  /** Conditions on whole paths. */
  readonly #conditions: Expression[] = [];

  constructor(pattern: PathPattern, parts: CompilerParts, compile: CompileMatch) {
    const nodes = pattern.nodes.map((node, at) => {
      const { variable = { text: ` node ${String(at)}`, span: node.span } } = node;
      return { ...node, variable };
    });
    this.#pattern = { ...pattern, nodes };
    this.#parts = parts;
    this.#compile = compile;
    this.#graph = patternGraphOf([this.#pattern], parts.scope);
    this.#names = new Set(this.#graph.added.map(({ name }) => name));
    this.#places = nodes.map((node) => {
      const { text: name, span } = node.variable;
      const boundSlot = parts.scope.find(name)?.slot;
      return {
        pattern: this.#ownOf(node, name),
        name,
        boundSlot,
        slot: this.#graph.scope.resolve(name, span).slot,
      };
    });
  }

  compile(where: Expression | undefined): CompiledSelection {
    const { selector, where: inner } = this.#pattern;
    for (const conjunct of conjunctsOf(inner)) if (!this.#isOfEnd(conjunct)) this.#conditions.push(conjunct);
    const [ofEnds, rest] = partition([...conjunctsOf(inner), ...conjunctsOf(where)], (each) =>
      this.#isOfEnd(each),
    );
    const later = rest.filter((each) => !this.#conditions.includes(each));
    const added = this.#graph.added.filter(({ name }) => !name.startsWith(' '));
    const scope = this.#parts.scope.only([...this.#parts.scope.variables, ...added]);
    const after = new ExpressionCompiler({ ...this.#parts, scope });
    const paths = shown(this.#search(ofEnds), {
      name: 'StatefulShortestPath',
      details: [selector?.span ?? this.#pattern.span],
    });
    const tests = later.map((condition) =>
      shown(filtered(after.condition(condition)), { name: 'Filter', details: [condition.span] }),
    );
    return { scope, added, stage: chained([paths, ...tests]) };
  }

  /** What says something of the start or the end alone holds for all paths of a pair, or for none. */
  #isOfEnd(condition: Expression): boolean {
    return [this.#places[0], this.#places.at(-1)].some((place) => this.#isOf(condition, place?.name));
  }

  #isOf(condition: Expression, name: string | undefined): boolean {
    return [...namesIn(condition)].every((each) => each === name || !this.#names.has(each));
  }

  /** The pattern with what it says of itself; the rest is a condition on the whole path. */
  #ownOf(node: NodePattern, name: string): NodePattern {
    const [own, others] = partition(conjunctsOf(node.where), (each) => this.#isOf(each, name));
    this.#conditions.push(...others);
    const properties = this.#ownProperties(node, name);
    return { ...node, properties, where: conjunctionOf(own) };
  }

  #ownProperties({ properties, span }: NodePattern, name: string): Expression | undefined {
    if (properties?.kind !== 'map') return properties;
    const [own, others] = partition(properties.entries, ({ value }) => this.#isOf(value, name));
    for (const { key, value } of others) {
      const subject = { kind: 'variable', name, span } as const;
      const first = { kind: 'property', subject, key, span } as const;
      this.#conditions.push({ kind: 'comparison', first, rest: [{ operator: '=', operand: value }], span });
    }
    return { ...properties, entries: own };
  }

  #search(ofEnds: readonly Expression[]): Stage {
    const [start, end] = [this.#places[0], this.#places.at(-1)].map((place) =>
      this.#withConditions(place, ofEnds),
    );
    if (start === undefined || end === undefined) return chained([]);
    const isReversed = rankOf(end) < rankOf(start);
    const [from, to] = isReversed ? [end, start] : [start, end];
    const places = [start, ...this.#places.slice(1, -1), end];
    const starts = this.#found(from);
    const ends = rankOf(to) <= RANK_OF_VALUE ? this.#found(to) : undefined;
    const step = this.#step(isReversed ? places.toReversed() : places, isReversed);
    const isRing = from.name === to.name;
    return flatMapped(function* (row, run): Rows {
      const known = ends === undefined || isRing ? undefined : new Set(yield* allOf(ends(row, run)));
      for (const found of starts(row, run)) {
        if (found === undefined) yield undefined;
        else yield* new SelectedSearch(step, row, run).rows(found, isRing ? new Set([found]) : known);
      }
    });
  }

  #withConditions(place: Place | undefined, conditions: readonly Expression[]): Place | undefined {
    if (place === undefined) return undefined;
    const own = conditions.filter((each) => this.#isOf(each, place.name));
    const where = conjunctionOf([...conjunctsOf(place.pattern.where), ...own]);
    return { ...place, pattern: { ...place.pattern, where } };
  }

  /** The nodes that may stand at a place. */
  #found({ pattern, name }: Place): (row: Row, run: Run) => Generator<number | undefined, void> {
    const { scope, stage } = this.#compile([nodePath(pattern)], undefined, this.#parts);
    const { slot } = scope.resolve(name, pattern.span);
    return function* (row, run) {
      for (const found of stage(single(row), run)) {
        const node = found?.[slot];
        yield node instanceof NodeValue ? node.node : undefined;
      }
    };
  }

  #step(places: readonly Place[], isReversed: boolean): SelectedStep {
    const { selector } = this.#pattern;
    const links = isReversed ? this.#graph.links.toReversed() : this.#graph.links;
    const segments = links.map((link) => this.#segment(link, isReversed));
    const tests = places.slice(1).map((place) => this.#test(place));
    const compiler = new ExpressionCompiler({ ...this.#parts, scope: this.#graph.scope });
    const conditions = this.#conditions.map((condition) => compiler.condition(condition));
    const slots = this.#places.map(({ slot }) => slot);
    const rows = new TrailRows(this.#graph, slots, isReversed);
    return {
      segments,
      mayStand: function* (node, segment, row, run) {
        return (yield* tests[segment]?.(node, row, run) ?? nothing()) !== false;
      },
      rowOf: (trail, row, run) => acceptedRow(rows.rowOf(trail, row, run), conditions, run),
      count: selector?.count ?? 1,
      isOfGroups: selector?.isOfGroups === true,
    };
  }

  /** Undefined where any node may stand. */
  #test({
    pattern,
    name,
    boundSlot,
  }: Place): ((node: number, row: Row, run: Run) => Pausing<boolean>) | undefined {
    const { labels, properties, where } = pattern;
    if (labels === undefined && properties === undefined && where === undefined && boundSlot === undefined)
      return undefined;
    const { scope, variable } = this.#parts.scope.with(name, 'node');
    const { stage } = this.#compile([nodePath(pattern)], undefined, { ...this.#parts, scope });
    return function* (node, row, run) {
      const bound = boundSlot === undefined ? undefined : row[boundSlot];
      if (boundSlot !== undefined && !(bound instanceof NodeValue && bound.node === node)) return false;
      const tested = row.slice();
      tested[variable.slot] = new NodeValue(node);
      for (const found of stage(single(tested), run)) {
        if (found !== undefined) return true;
        yield undefined;
      }
      return false;
    };
  }

  #segment(link: LinkElement, isReversed: boolean): Segment {
    const { pattern } = link;
    const { min, max = Infinity } = pattern.range ?? { min: 1, max: 1 };
    const length = pattern.group?.path.links.length ?? 1;
    if (isPlain(link)) return { length, min, max, turns: plainTurns(link, isReversed) };
    const group = pattern.group ?? { path: hopPath(pattern), where: undefined };
    const { forward, backward } = compileRepetition(group, link.lists, this.#parts, this.#compile);
    return {
      length,
      min,
      max,
      turns: function* (node, isBackward, row, run) {
        const way = isBackward === isReversed ? forward : backward;
        const start = new NodeValue(node);
        for (const found of turnsFrom(way, row, { run, start })) yield turnOf(way, found);
      },
    };
  }
}

function* nothing(): Pausing<undefined> {
  // Nothing to wait for.
}

function* allOf(nodes: Generator<number | undefined, void>): Pausing<readonly number[]> {
  const all: number[] = [];
  for (const node of nodes) {
    if (node === undefined) yield undefined;
    else all.push(node);
  }
  return all;
}

function* acceptedRow(
  row: Row | undefined,
  conditions: readonly Evaluation[],
  run: Run,
): Pausing<Row | undefined> {
  if (row === undefined) return undefined;
  for (const condition of conditions) {
    const [truth] = yield* valuesInSteps([condition], row, run);
    if (truth !== true) return undefined;
  }
  return row;
}

function nodePath(node: NodePattern): PathPattern {
  return { variable: undefined, shortest: undefined, nodes: [node], links: [], span: node.span };
}

/** One relationship of a path of any length. */
function hopPath(link: LinkPattern): PathPattern {
  const { span } = link;
  const end = { variable: undefined, labels: undefined, properties: undefined, where: undefined, span };
  return {
    variable: undefined,
    shortest: undefined,
    nodes: [end, end],
    links: [{ ...link, range: undefined }],
    span,
  };
}

/** Whether the expansion of a node has all relationships that pass, and no other one. */
function isPlain({ pattern, isBound, types }: LinkElement): boolean {
  const { group, properties, where } = pattern;
  if (group !== undefined || properties !== undefined || where !== undefined || isBound) return false;
  return pattern.types === undefined || types !== '*';
}

const REVERSED: Readonly<Record<LinkDirection, LinkDirection>> = { out: 'in', in: 'out', any: 'any' };

function plainTurns({ pattern }: LinkElement, isReversed: boolean): Segment['turns'] {
  const types = possibleTypes(pattern.types);
  return function* (node, isBackward, _, { graph }) {
    const direction = isBackward === isReversed ? pattern.direction : REVERSED[pattern.direction];
    const { links, nodes } = graph.expand(node, direction, types);
    for (const [index, link] of links.entries()) {
      yield { links: [new LinkValue(link)], end: new NodeValue(nodes[index] ?? 0), values: [] };
    }
  };
}

const RANK_OF_VALUE = 1;

/** How few nodes a place may have: one that is known, one of a value, those with a label, all. */
function rankOf({ boundSlot, pattern: { labels, properties, where } }: Place): number {
  if (boundSlot !== undefined) return 0;
  const isOfValue = conjunctsOf(where).some(
    (each) => each.kind === 'comparison' && each.rest.every(({ operator }) => operator === '='),
  );
  if (isOfValue || (properties?.kind === 'map' && properties.entries.length > 0)) return RANK_OF_VALUE;
  return labels === undefined ? 3 : 2;
}

function conjunctsOf(condition: Expression | undefined): readonly Expression[] {
  const conjuncts: Expression[] = [];
  const waiting = condition === undefined ? [] : [condition];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.kind === 'binary' && next.operator === 'and') waiting.push(next.right, next.left);
    else conjuncts.push(next);
  }
  return conjuncts;
}

function conjunctionOf([first, ...others]: readonly Expression[]): Expression | undefined {
  return others.reduce<Expression | undefined>(
    (left, right) => left && { kind: 'binary', operator: 'and', left, right, span: right.span },
    first,
  );
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  const { first = [], second = [] } = Object.groupBy(items, (item) => (isFirst(item) ? 'first' : 'second'));
  return [first, second];
}
