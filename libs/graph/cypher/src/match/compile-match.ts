/**
 * Turns the patterns of a MATCH into stages. The order is chosen when the stage begins, by the numbers of the
 * graph: the scan of the fewest nodes first, then what is connected; each condition as early as possible.
 */
import { BoundedMap } from '#graph/execution';
import type { CompilerParts } from '../expression/compile-expression.ts';
import type { Row, Run } from '../graph/run.ts';
import type { Scope, Variable } from '../expression/scope.ts';
import type { Rows } from '../expression/subqueries.ts';
import { chosen, filtered, mapped, type Operator, shown, type Stage, single } from '../stage/stage.ts';
import type { Expression, PathPattern } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { isList, LinkValue, NodeValue, PathValue, type Value } from '../value/value.ts';
import { type Condition, jointly, matchConditions, type MatchConditions } from './conditions.ts';
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
  const plans = new MatchPlans(graph, { ...conditions, repetitions });
  const stage = chosen((run) => plans.stagesFor(run));
  return { scope: graph.scope, added: graph.added, stage, graph };
}

/** The plans of a MATCH, one for each order of its nodes by how many there are of each. */
class MatchPlans {
  readonly #graph: PatternGraph;
  readonly #parts: PlanParts;
  readonly #scans: readonly NodeScan[];
  readonly #kept = new BoundedMap<readonly Stage[]>(KEPT_PLANS_MAX);
  /** One for each run, however often a subquery begins anew. */
  readonly #ofRuns = new WeakMap<Run, readonly Stage[]>();

  constructor(graph: PatternGraph, parts: PlanParts) {
    this.#graph = graph;
    this.#parts = parts;
    const reached = reachedNodes(graph);
    this.#scans = [...graph.nodes.entries()].flatMap(([number, node]) =>
      reached.has(number) ? [] : [{ number, node, step: scanOf(node, parts) }],
    );
  }

  stagesFor(run: Run): readonly Stage[] {
    // Nothing depends on the numbers of the graph.
    if (this.#scans.length <= 1) return this.#planned(this.#scans);
    const known = this.#ofRuns.get(run);
    if (known !== undefined) return known;
    const costs = new Map(this.#scans.map((scan) => [scan, scanCost(scan.step, run)]));
    const costOf = (scan: NodeScan): number => costs.get(scan) ?? 0;
    const stages = this.#planned(this.#scans.toSorted((a, b) => costOf(a) - costOf(b)));
    this.#ofRuns.set(run, stages);
    return stages;
  }

  #planned(scans: readonly NodeScan[]): readonly Stage[] {
    const order = scans.map(({ number }) => number).join(' ');
    const kept = this.#kept.get(order);
    if (kept !== undefined) return kept;
    const stages = new MatchPlan(this.#graph, this.#parts, scans).stages();
    this.#kept.set(order, stages);
    return stages;
  }
}

/** Orders of the nodes of a MATCH whose plans are kept. */
const KEPT_PLANS_MAX = 8;

/** The nodes that earlier clauses have bound, and those that relationships lead to from there. */
function reachedNodes({ nodes, links }: PatternGraph): ReadonlySet<number> {
  const reached = new Set([...nodes.keys()].filter((number) => nodes[number]?.isBound));
  for (const number of reached) {
    for (const { left, right, shortest } of links) {
      if (shortest !== undefined) continue;
      if (left === number) reached.add(right);
      if (right === number) reached.add(left);
    }
  }
  return reached;
}

/** A node from which the pattern may be followed. */
interface NodeScan {
  readonly number: number;
  readonly node: NodeElement;
  readonly step: ScanStep;
}

function scanOf(node: NodeElement, { knownValues, knownTests }: PlanParts): ScanStep {
  const isOwn = ({ slot }: { readonly slot: number }): boolean => slot === node.slot;
  return {
    slot: node.slot,
    labels: labelsOf(node),
    knownValues: knownValues.filter(isOwn),
    knownTests: knownTests.filter(isOwn),
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

/** Each stage pulls its rows from the one before it: more conditions at one place are one filter. */
const FILTERS_MAX = 32;

/** Holds nothing of a run: its stages are kept. */
class MatchPlan {
  readonly #graph: PatternGraph;
  readonly #conditions: PlanParts;
  /** Those of the fewest nodes first. */
  readonly #scans: readonly NodeScan[];
  readonly #boundNodes = new Set<number>();
  readonly #boundSlots = new Set<number>();
  readonly #linksLeft: Set<LinkElement>;
  readonly #waiting: Set<Condition>;
  readonly #used: number[] = [];
  readonly #stages: Stage[] = [];

  constructor(graph: PatternGraph, conditions: PlanParts, scans: readonly NodeScan[]) {
    this.#graph = graph;
    this.#conditions = conditions;
    this.#scans = scans;
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
    const ready = [...this.#waiting].filter(({ needs }) =>
      [...needs].every((slot) => this.#boundSlots.has(slot)),
    );
    for (const condition of ready) this.#waiting.delete(condition);
    const filters = ready.length > FILTERS_MAX ? [jointly(ready)] : ready;
    for (const { test, details } of filters)
      this.#stages.push(shown(filtered(test), { name: 'Filter', details }));
  }

  /** False when nothing is left. */
  #addStep(): boolean {
    const link = this.#nextLink();
    if (link !== undefined) {
      this.#addLink(link);
      return true;
    }
    const scan = this.#scans.find(({ number }) => !this.#boundNodes.has(number));
    if (scan === undefined) return false;
    const { number, node, step } = scan;
    const operator = {
      ...scanOperator(step, nameOf(node)),
      estimate: (run: Run) => Math.ceil(scanCost(step, run)),
    };
    this.#stages.push(shown(scanned(step), operator));
    this.#bindNode(number, node.slot);
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
