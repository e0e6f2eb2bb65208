/** Patterns by trying everything: each node, each relationship, each trail; then every condition. */
import type {
  Expression,
  LabelExpression,
  LinkPattern,
  NodePattern,
  PathPattern,
  RepeatedPath,
} from '../../src/syntax/ast.ts';
import {
  type Environment,
  isPlainList,
  isPlainMap,
  type Plain,
  plainEqual,
  type PlainLink,
  PlainNode,
  PlainPath,
  TooMuchWork,
  type Truth,
} from './plain-value.ts';

export interface PlainGraph {
  readonly nodes: readonly PlainNode[];
  readonly links: readonly PlainLink[];
}

/** What the matcher asks of expressions. */
interface Evaluator {
  value(expression: Expression, environment: Environment): Plain;
  truth(expression: Expression, environment: Environment): Truth;
}

/** A way to place some of the patterns. */
interface Placement {
  readonly environment: Environment;
  readonly used: readonly PlainLink[];
  /** What stands at a place of a pattern, with what it must be. */
  readonly checks: readonly Check[];
}

type Check = readonly [element: PlainNode | PlainLink, pattern: NodePattern | LinkPattern];

interface Trail {
  readonly nodes: readonly PlainNode[];
  readonly links: readonly PlainLink[];
}

interface Walk extends Trail {
  readonly placement: Placement;
}

/** Repetitions of a quantified path pattern. */
interface Turns extends Trail {
  readonly turns: readonly Environment[];
  readonly used: readonly PlainLink[];
}

interface Repetition {
  readonly link: LinkPattern;
  readonly end: NodePattern;
  readonly group: RepeatedPath;
}

/** More steps than these are not worth the wait: the case is left out. */
const STEPS_MAX = 20_000;

export class PlainMatcher {
  readonly #graph: PlainGraph;
  readonly #evaluator: Evaluator;
  #tried = 0;

  constructor(graph: PlainGraph, evaluator: Evaluator) {
    this.#graph = graph;
    this.#evaluator = evaluator;
  }

  /**
   * Every match of all patterns that passes, in which no relationship stands twice. A shortest path is the
   * shortest of those that pass.
   */
  matches(
    patterns: readonly PathPattern[],
    where: Expression | undefined,
    environment: Environment,
  ): readonly Environment[] {
    let placements: readonly Placement[] = [{ environment, used: [], checks: [] }];
    for (const pattern of patterns) {
      const found = placements.flatMap((each) => this.#paths(pattern, each));
      placements =
        pattern.shortest === undefined
          ? found
          : shortestOf(
              found.filter((each) => this.#holds(each, where)),
              pattern,
            );
    }
    return placements.filter((each) => this.#holds(each, where)).map((each) => each.environment);
  }

  #holds({ checks, environment }: Placement, where: Expression | undefined): boolean {
    if (where !== undefined && this.#evaluator.truth(where, environment) !== true) return false;
    return checks.every((check) => this.#passes(check, environment));
  }

  #passes([element, pattern]: Check, environment: Environment): boolean {
    const { properties, where } = pattern;
    const labels = 'labels' in pattern ? pattern.labels : pattern.types;
    if (labels !== undefined && !hasLabels(labelsOf(element), labels)) return false;
    if (where !== undefined && this.#evaluator.truth(where, environment) !== true) return false;
    const expected = properties === undefined ? new Map() : this.#evaluator.value(properties, environment);
    if (!isPlainMap(expected)) return false;
    return [...expected].every(
      ([key, value]) => plainEqual(element.properties.get(key) ?? null, value) === true,
    );
  }

  #paths(pattern: PathPattern, placement: Placement): readonly Placement[] {
    return this.#walks(pattern, placement).map((walk) => named(pattern, walk));
  }

  #walks({ nodes: [first, ...rest], links }: PathPattern, placement: Placement): readonly Walk[] {
    if (first === undefined) return [];
    this.#tried += this.#graph.nodes.length;
    if (this.#tried > STEPS_MAX) throw new TooMuchWork();
    let walks: readonly Walk[] = this.#graph.nodes.flatMap((node) => {
      const placed = withNode(placement, first, node);
      return placed === undefined ? [] : [{ placement: placed, nodes: [node], links: [] }];
    });
    for (const [at, link] of links.entries()) {
      const end = rest[at];
      if (end === undefined) break;
      walks = walks.flatMap((walk) =>
        link.group === undefined
          ? this.#steps(walk, link, end)
          : this.#repetitions(walk, { link, end, group: link.group }),
      );
    }
    return walks;
  }

  #steps(walk: Walk, link: LinkPattern, end: NodePattern): readonly Walk[] {
    const last = walk.nodes.at(-1);
    const { used } = walk.placement;
    const trails = last === undefined ? [] : this.#trails({ links: [], nodes: [last] }, link, used);
    return trails.flatMap(({ links, nodes }) => {
      const value = link.range === undefined ? (links[0] ?? null) : links;
      const placed = withTrail(walk.placement, link, { value, trail: links });
      const target = nodes.at(-1);
      const placement = placed && target && withNode(placed, end, target);
      if (placement === undefined) return [];
      return [{ placement, nodes: [...walk.nodes, ...nodes.slice(1)], links: [...walk.links, ...links] }];
    });
  }

  /** A quantified path pattern: its variables become lists. */
  #repetitions(walk: Walk, { link, end, group }: Repetition): readonly Walk[] {
    const { min, max = Infinity } = link.range ?? { min: 1, max: 1 };
    const from = walk.nodes.at(-1);
    if (from === undefined) return [];
    let level: readonly Turns[] = [{ turns: [], links: [], nodes: [from], used: walk.placement.used }];
    const found: Turns[] = [];
    for (let count = 0; level.length > 0; count++) {
      if (count >= min) found.push(...level);
      level = count < max ? level.flatMap((turns) => this.#furtherTurns(turns, group, walk)) : [];
    }
    return found.flatMap(({ turns, links, nodes, used }) => {
      const last = nodes.at(-1);
      const environment = withLists(walk.placement.environment, group, turns);
      const placed = last && withNode({ ...walk.placement, environment, used }, end, last);
      if (placed === undefined) return [];
      return [
        { placement: placed, nodes: [...walk.nodes, ...nodes.slice(1)], links: [...walk.links, ...links] },
      ];
    });
  }

  #furtherTurns({ turns, links, nodes, used }: Turns, group: RepeatedPath, walk: Walk): readonly Turns[] {
    const { environment } = walk.placement;
    return this.#walks(group.path, { environment, used, checks: [] })
      .filter((inner) => inner.nodes[0] === nodes.at(-1) && this.#holds(inner.placement, group.where))
      .map((inner) => ({
        turns: [...turns, inner.placement.environment],
        links: [...links, ...inner.links],
        nodes: [...nodes, ...inner.nodes.slice(1)],
        used: inner.placement.used,
      }));
  }

  /** The trail, if it is long enough, and all that go on from it. */
  #trails(trail: Trail, link: LinkPattern, used: readonly PlainLink[]): readonly Trail[] {
    if (++this.#tried > STEPS_MAX) throw new TooMuchWork();
    const { min, max = Infinity } = link.range ?? { min: 1, max: 1 };
    const { links, nodes } = trail;
    const own = links.length >= min ? [trail] : [];
    if (links.length >= max) return own;
    const longer = this.#graph.links.flatMap((next) => {
      if (links.includes(next) || used.includes(next)) return [];
      const other = otherEnd(next, nodes.at(-1), link.direction);
      if (other === undefined) return [];
      return this.#trails({ links: [...links, next], nodes: [...nodes, other] }, link, used);
    });
    return [...own, ...longer];
  }
}

/** Undefined where the relationship does not lead from the node in that direction. */
function otherEnd(
  { start, end }: PlainLink,
  from: PlainNode | undefined,
  direction: LinkPattern['direction'],
): PlainNode | undefined {
  if (direction !== 'in' && start === from) return end;
  return direction !== 'out' && end === from ? start : undefined;
}

/** Undefined where the variable holds something else already. */
function bound(environment: Environment, name: string | undefined, value: Plain): Environment | undefined {
  if (name === undefined) return environment;
  const known = environment.get(name);
  if (known === undefined) return new Map(environment).set(name, value);
  return isSame(known, value) ? environment : undefined;
}

function isSame(known: Plain, value: Plain): boolean {
  if (!isPlainList(known) || !isPlainList(value)) return known === value;
  return known.length === value.length && known.every((item, at) => item === value[at]);
}

function withNode(
  { environment, used, checks }: Placement,
  pattern: NodePattern,
  node: PlainNode,
): Placement | undefined {
  const next = bound(environment, pattern.variable?.text, node);
  return next && { environment: next, used, checks: [...checks, [node, pattern]] };
}

function withTrail(
  { environment, used, checks }: Placement,
  pattern: LinkPattern,
  { value, trail }: { readonly value: Plain; readonly trail: readonly PlainLink[] },
): Placement | undefined {
  const next = bound(environment, pattern.variable?.text, value);
  const added = trail.map((link): Check => [link, pattern]);
  return next && { environment: next, used: [...used, ...trail], checks: [...checks, ...added] };
}

function withLists(
  environment: Environment,
  { path: { nodes, links } }: RepeatedPath,
  turns: readonly Environment[],
): Environment {
  const lists = new Map(environment);
  for (const { variable } of [...nodes, ...links]) {
    if (variable === undefined) continue;
    lists.set(
      variable.text,
      turns.map((turn) => turn.get(variable.text) ?? null),
    );
  }
  return lists;
}

function named({ variable }: PathPattern, { placement, nodes, links }: Walk): Placement {
  if (variable === undefined) return placement;
  const environment = new Map(placement.environment).set(variable.text, new PlainPath(nodes, links));
  return { ...placement, environment };
}

/**
 * Between each two ends, the paths of the fewest relationships; of `shortestPath`, the first of them. From a
 * node to itself only the path without relationships is one.
 */
function shortestOf(
  placements: readonly Placement[],
  { shortest, variable }: PathPattern,
): readonly Placement[] {
  const found = placements.flatMap((placement) => {
    const path = placement.environment.get(variable?.text ?? '');
    if (!(path instanceof PlainPath)) throw new Error('expected a shortest path with a name');
    const ends = [path.nodes[0]?.id, path.nodes.at(-1)?.id];
    const length = path.links.length;
    return length > 0 && ends[0] === ends[1] ? [] : [{ placement, length, ends: ends.join() }];
  });
  return [...Map.groupBy(found, ({ ends }) => ends).values()].flatMap((group) => {
    const least = Math.min(...group.map(({ length }) => length));
    const best = group.filter(({ length }) => length === least).map(({ placement }) => placement);
    return shortest === 'one' ? best.slice(0, 1) : best;
  });
}

function labelsOf(element: PlainNode | PlainLink): readonly string[] {
  return element instanceof PlainNode ? element.labels : [element.type];
}

export function hasLabels(own: readonly string[], labels: LabelExpression): boolean {
  switch (labels.kind) {
    case 'label':
      return own.includes(labels.name);
    case 'dynamic':
      throw new Error('expected labels that are names');
    case 'any':
      return own.length > 0;
    case 'not':
      return !hasLabels(own, labels.item);
    case 'and':
      return labels.items.every((item) => hasLabels(own, item));
    case 'or':
      return labels.items.some((item) => hasLabels(own, item));
  }
}
