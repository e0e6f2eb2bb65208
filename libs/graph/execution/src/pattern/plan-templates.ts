/**
 * Plans for one query text over one state of the data. Runs differ only in their parameters, which influence
 * the start of a pattern only by the size of their selections. So a plan is kept for each order of magnitude
 * of the selections, with placeholders for a run's own selections and conditions.
 */
import { BoundedMap } from '../bounded-map.ts';
import { elementsOf, type Pattern, type PatternBody, type PatternNode } from './pattern.ts';
import type { Statistics } from './statistics.ts';

/** Two magnitudes for each of a few selections; a text that needs more is planned again. */
const KEPT_MAX = 64;

/** The range selected by SKIP and LIMIT. */
interface Bounds {
  readonly skip: number;
  readonly limit: number;
}

/** A selection with a filter, or a condition: the parts that depend on parameters. */
type Part = object;
type Fill = (parts: readonly Part[]) => unknown;

export class PlanTemplates {
  readonly #templates: BoundedMap<Fill>;

  constructor(keptMax = KEPT_MAX) {
    this.#templates = new BoundedMap<Fill>(keptMax);
  }

  /** The plan of `make`, possibly one made earlier for selections of about these sizes. */
  planned<Plan extends object>(
    { pattern, bounds }: { readonly pattern: Pattern; readonly bounds: Bounds },
    statistics: Statistics,
    make: () => Plan,
  ): Plan {
    const { parts, key } = new PatternParts(pattern, bounds, statistics);
    const known = this.#templates.get(key);
    if (known !== undefined) return known(parts) as Plan;
    const made = make();
    const holes = new Map(parts.map((part, at) => [part, at]));
    this.#templates.set(key, fillOf(made, holes) ?? (() => made));
    return made;
  }
}

/** The parts of a pattern in a fixed order, and their properties on which a plan depends. */
class PatternParts {
  readonly parts: Part[] = [];
  readonly #statistics: Statistics;
  key: string;

  constructor({ root, conditions }: Pattern, { skip, limit }: Bounds, statistics: Statistics) {
    this.#statistics = statistics;
    this.key = `${String(skip > 0)} ${String(Number.isFinite(limit))}`;
    this.#addNode(root);
    for (const condition of conditions) {
      this.parts.push(condition);
      this.key += ` ${condition.kind}${elementsOf(condition).join()}`;
    }
  }

  #addNode(node: PatternNode): void {
    const { selection, element } = node;
    if (selection.filter !== undefined) {
      this.parts.push(selection);
      const magnitude = 32 - Math.clz32(this.#statistics.estimate(selection));
      this.key += ` ${element}:${magnitude}`;
    }
    this.#addBody(node);
  }

  #addBody({ hops, groups }: PatternBody): void {
    for (const { step, target } of hops) {
      if (step.condition !== undefined) {
        this.parts.push(step.condition);
        this.key += ` ${step.element}`;
      }
      this.#addNode(target);
    }
    for (const group of groups) this.#addBody(group);
  }
}

/**
 * Makes a copy with other parts; undefined if `value` contains none and can be shared. The parts themselves,
 * which may hold what a run reads, are not kept.
 */
function fillOf(value: unknown, holes: ReadonlyMap<unknown, number>): Fill | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const hole = holes.get(value);
  if (hole !== undefined) return (parts) => parts[hole];
  const fills = Object.entries(value).flatMap(([name, item]) => {
    const fill = fillOf(item, holes);
    return fill === undefined ? [] : [[name, fill] as const];
  });
  if (fills.length === 0) return undefined;
  const rest = copyOf(value);
  for (const [name] of fills) rest[name] = undefined;
  return (parts) => {
    const copy = copyOf(rest);
    for (const [name, fill] of fills) copy[name] = fill(parts);
    return copy;
  };
}

function copyOf(value: object): Record<string, unknown> {
  return (Array.isArray(value) ? [...(value as readonly unknown[])] : { ...value }) as Record<
    string,
    unknown
  >;
}
