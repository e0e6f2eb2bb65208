/**
 * Turns the patterns of a MATCH into stages. The order is chosen when the stage begins, by the numbers of the
 * graph: the scan of the fewest nodes first, then what is connected; each condition as early as possible.
 */
import type { CompilerParts } from '../expression/compile-expression.ts';
import type { Row, Run } from '../graph/run.ts';
import type { Scope, Variable } from '../expression/scope.ts';
import type { Rows } from '../expression/subqueries.ts';
import { chosen, filtered, mapped, type Operator, shown, type Stage, single } from '../stage/stage.ts';
import type { Expression, PathPattern } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { isList, LinkValue, NodeValue, PathValue, type Value } from '../value/value.ts';
import { type Condition, matchConditions, type MatchConditions } from './conditions.ts';
import { expanded, REVERSED, trailed, type TrailStep } from './expand.ts';
import {
  isByTypes,
  labelsOf,
  type LinkElement,
  type NodeElement,
  type PathElement,
  type PatternGraph,
  patternGraphOf,
} from './pattern-graph.ts';
import { type CompiledRepetition, compileRepetition, repeated } from './repeated.ts';
import { scanCost, scanned, scanOperator, type ScanStep } from './scan.ts';
import { compileSelected } from './selected.ts';
import { shortestPaths } from './shortest.ts';

export interface CompiledMatch {
  readonly scope: Scope;
  readonly added: readonly Variable[];
  readonly stage: Stage;
  /** Undefined where a selector chooses paths. */
  readonly graph?: PatternGraph;
}

export function compileMatch(
  patterns: readonly PathPattern[],
  where: Expression | undefined,
  parts: CompilerParts,
): CompiledMatch {
  if (patterns.some(({ selector }) => selector !== undefined)) {
    return compileSelected(patterns, where, parts, compileMatch);
  }
  const graph = patternGraphOf(patterns, parts.scope);
  const conditions = matchConditions(graph, where, parts);
  for (const link of graph.links) refuseRange(link);
  const repetitions = new Map(
    graph.links.flatMap((link) => {
      const { group } = link.pattern;
      return group === undefined ? [] : [[link, compileRepetition(group, link.lists, parts, compileMatch)]];
    }),
  );
  const planned = (run: Run): readonly Stage[] =>
    new MatchPlan(graph, { ...conditions, repetitions }, run).stages();
  const stage = chosen(hasOneOrder(graph) ? once(planned) : onceForEach(planned));
  return { scope: graph.scope, added: graph.added, stage, graph };
}

/** Whether nothing depends on how many nodes there are of a kind: only one is looked for. */
function hasOneOrder({ nodes }: PatternGraph): boolean {
  return nodes.filter(({ isBound }) => !isBound).length <= 1;
}

function once(planned: (run: Run) => readonly Stage[]): (run: Run) => readonly Stage[] {
  let stages: readonly Stage[] | undefined;
  return (run) => (stages ??= planned(run));
}

/** One plan for each run, however often a subquery begins anew. */
function onceForEach(planned: (run: Run) => readonly Stage[]): (run: Run) => readonly Stage[] {
  const plans = new WeakMap<Run, readonly Stage[]>();
  return (run) => {
    const stages = plans.get(run) ?? planned(run);
    plans.set(run, stages);
    return stages;
  };
}

/** Each row that the match does not extend stays, with null for what it would have added. */
export function optional({ stage, added }: Pick<CompiledMatch, 'stage' | 'added'>): Stage {
  const whole: Stage = function* (input, run): Rows {
    for (const row of input) {
      if (row === undefined) {
        yield undefined;
        continue;
      }
      let isFound = false;
      for (const found of stage(single(row), run)) {
        yield found;
        isFound ||= found !== undefined;
      }
      if (!isFound) yield withNulls(row, added);
    }
  };
  return shown(whole, { name: 'Optional', details: added.map(({ name }) => name), inner: [stage] });
}

function withNulls(row: Row, added: readonly Variable[]): Row {
  const next = row.slice();
  for (const { slot } of added) next[slot] = null;
  return next;
}

function refuseRange({ pattern, shortest }: LinkElement): void {
  if (shortest === undefined || (pattern.range?.min ?? 1) <= 1) return;
  const message = 'a shortest path has a minimum of 0 or 1 relationships';
  throw new SyntaxFault('InvalidRelationshipPattern', pattern.span, message);
}

/** A path of any length costs more than any single step. */
const TRAIL_COST = 1e15;

interface PlanParts extends MatchConditions {
  readonly repetitions: ReadonlyMap<LinkElement, CompiledRepetition>;
}

class MatchPlan {
  readonly #graph: PatternGraph;
  readonly #conditions: PlanParts;
  readonly #run: Run;
  readonly #boundNodes = new Set<number>();
  readonly #boundSlots = new Set<number>();
  readonly #linksLeft: Set<LinkElement>;
  readonly #waiting: Set<Condition>;
  /** Of each node that nothing has bound: about how many there are. */
  readonly #costs = new Map<number, number>();
  readonly #used: number[] = [];
  readonly #stages: Stage[] = [];

  constructor(graph: PatternGraph, conditions: PlanParts, run: Run) {
    this.#graph = graph;
    this.#conditions = conditions;
    this.#run = run;
    this.#linksLeft = new Set(graph.links);
    this.#waiting = new Set(conditions.conditions);
  }

  stages(): readonly Stage[] {
    for (const [number, { isBound, slot }] of this.#graph.nodes.entries()) {
      if (!isBound) continue;
      this.#bindNode(number, slot);
      // Null, and what is no node, matches no pattern, also one without relationships.
      this.#stages.push(filtered({ evaluate: (row) => row[slot] instanceof NodeValue }));
    }
    this.#applyConditions();
    while (this.#addStep()) this.#applyConditions();
    for (const path of this.#graph.paths) {
      this.#stages.push(mapped(pathBuilder(path, this.#graph)));
      this.#boundSlots.add(path.slot);
    }
    this.#applyConditions();
    return this.#stages;
  }

  #bindNode(number: number, slot: number): void {
    this.#boundNodes.add(number);
    this.#boundSlots.add(slot);
  }

  #applyConditions(): void {
    for (const condition of [...this.#waiting]) {
      if (![...condition.needs].every((slot) => this.#boundSlots.has(slot))) continue;
      this.#waiting.delete(condition);
      this.#stages.push(shown(filtered(condition.test), { name: 'Filter', details: condition.details }));
    }
  }

  /** False when nothing is left. */
  #addStep(): boolean {
    const link = this.#nextLink();
    if (link !== undefined) {
      this.#addLink(link);
      return true;
    }
    const node = this.#cheapestNode();
    if (node === undefined) return false;
    const [number, element] = node;
    const step = this.#scanOf(element);
    const operator = {
      ...scanOperator(step, nameOf(element)),
      estimate: (run: Run) => Math.ceil(scanCost(step, run)),
    };
    this.#stages.push(shown(scanned(step), operator));
    this.#bindNode(number, element.slot);
    return true;
  }

  /** The relationship to follow next: one between known nodes, then single ones, then paths. */
  #nextLink(): LinkElement | undefined {
    let best: { readonly link: LinkElement; readonly cost: number } | undefined;
    for (const link of this.#linksLeft) {
      const ends = [link.left, link.right].filter((end) => this.#boundNodes.has(end)).length;
      if (ends === 0 || (link.shortest !== undefined && ends < 2)) continue;
      const cost = (link.pattern.range === undefined ? 0 : TRAIL_COST) - ends;
      if (best === undefined || cost < best.cost) best = { link, cost };
    }
    return best?.link;
  }

  #cheapestNode(): readonly [number, NodeElement] | undefined {
    const unbound = [...this.#graph.nodes.entries()].filter(([number]) => !this.#boundNodes.has(number));
    if (unbound.length <= 1) return unbound[0];
    return unbound.reduce((best, other) => (this.#costOf(...other) < this.#costOf(...best) ? other : best));
  }

  #costOf(number: number, element: NodeElement): number {
    const known = this.#costs.get(number) ?? scanCost(this.#scanOf(element), this.#run);
    this.#costs.set(number, known);
    return known;
  }

  #scanOf(element: NodeElement): ScanStep {
    const { knownValues, knownTests } = this.#conditions;
    const isOwn = ({ slot }: { readonly slot: number }): boolean => slot === element.slot;
    return {
      slot: element.slot,
      labels: labelsOf(element),
      knownValues: knownValues.filter(isOwn),
      knownTests: knownTests.filter(isOwn),
    };
  }

  #addLink(link: LinkElement): void {
    this.#linksLeft.delete(link);
    const isReversed = !this.#boundNodes.has(link.left);
    const [near, far] = isReversed ? [link.right, link.left] : [link.left, link.right];
    const { pattern, slot } = link;
    const common = {
      from: this.#slotOf(near),
      to: this.#slotOf(far),
      isToBound: this.#boundNodes.has(far),
      link: slot,
      isLinkBound: link.isBound,
      direction: isReversed ? REVERSED[pattern.direction] : pattern.direction,
      types: link.types,
      others: [...this.#used],
    };
    const stage =
      pattern.range === undefined ? expanded(common) : this.#trailStage(link, { ...common, isReversed });
    this.#stages.push(shown(stage, expandOperator(link, common.isToBound)));
    this.#bindNode(far, common.to);
    this.#boundSlots.add(slot);
    for (const list of link.lists) this.#boundSlots.add(list.slot);
    this.#used.push(slot);
  }

  #trailStage(link: LinkElement, common: Omit<TrailStep, 'min' | 'max' | 'passes'>): Stage {
    const { min, max = Infinity } = link.pattern.range ?? { min: 1, max: 1 };
    const repetition = this.#conditions.repetitions.get(link);
    if (repetition !== undefined) return repeated({ ...common, min, max, repetition });
    const passes = this.#conditions.ofEach.get(link.slot) ?? (() => true);
    const step = { ...common, min, max, passes };
    if (link.shortest === undefined) return trailed(step);
    const accepts = this.#acceptsOf(link);
    return shortestPaths({ ...step, wanted: link.shortest, isByTypes: isByTypes(link), accepts });
  }

  /** The conditions of a shortest path: it is the shortest of the paths that pass. Undefined without any. */
  #acceptsOf(link: LinkElement): ((row: Row, run: Run) => boolean) | undefined {
    const number = this.#graph.links.indexOf(link);
    const paths = this.#graph.paths.filter(({ links }) => links.includes(number));
    const own = new Set([link.slot, ...paths.map(({ slot }) => slot)]);
    const conditions = [...this.#waiting].filter(
      ({ needs }) =>
        [...needs].some((slot) => own.has(slot)) &&
        [...needs].every((slot) => own.has(slot) || this.#boundSlots.has(slot)),
    );
    if (conditions.length === 0) return undefined;
    return acceptance(
      conditions,
      paths.map((path) => pathBuilder(path, this.#graph)),
    );
  }

  #slotOf(number: number): number {
    return this.#graph.nodes[number]?.slot ?? 0;
  }
}

function nameOf({ patterns }: NodeElement): string {
  return patterns.find(({ variable }) => variable !== undefined)?.variable?.text ?? '';
}

function expandOperator({ pattern, shortest }: LinkElement, isInto: boolean): Operator {
  const reach = isInto ? 'Into' : 'All';
  const length = pattern.range === undefined ? 'Expand' : 'VarLengthExpand';
  return { name: shortest === undefined ? `${length}(${reach})` : 'ShortestPath', details: [pattern.span] };
}

/** Of whole paths. It may be kept, and so holds nothing of the run that it was planned for. */
function acceptance(
  conditions: readonly Condition[],
  builders: readonly ((row: Row, run: Run) => Row)[],
): (row: Row, run: Run) => boolean {
  return (row, run) => {
    const whole = builders.reduce((built, build) => build(built, run), row);
    return conditions.every(({ test }) => test.evaluate(whole, run) === true);
  };
}

/** Puts the elements of a path together. */
function pathBuilder({ slot, start, links }: PathElement, graph: PatternGraph): (row: Row, run: Run) => Row {
  const startSlot = graph.nodes[start]?.slot ?? 0;
  const linkSlots = links.map((link) => graph.links[link]?.slot ?? 0);
  return (row, run) => {
    const next = row.slice();
    next[slot] = pathOf(
      row[startSlot] ?? null,
      linkSlots.map((each) => row[each] ?? null),
      run,
    );
    return next;
  };
}

function pathOf(start: Value, parts: readonly Value[], { graph }: Run): Value {
  if (!(start instanceof NodeValue)) return null;
  const nodes = [start];
  const links: LinkValue[] = [];
  let at = start.node;
  for (const part of parts) {
    for (const link of isList(part) ? part : [part]) {
      if (!(link instanceof LinkValue)) return null;
      const from = graph.start(link.link);
      at = from === at ? graph.end(link.link) : from;
      links.push(link);
      nodes.push(new NodeValue(at));
    }
  }
  return new PathValue(nodes, links);
}
