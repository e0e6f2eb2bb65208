/** Builds the pattern of a FIND. Conditions on a single element are moved to that element. */
import type { Filter, Selection } from '#graph/model';
import type {
  BoundElement,
  BoundFind,
  BoundHop,
  BoundHopPattern,
  BoundNode,
  RowExpression,
  RowOperand,
} from '../binder/bound-query.ts';
import {
  allOf,
  conjuncts,
  filterOf,
  type Pattern,
  type PatternBody,
  type PatternGroup,
  type PatternHop,
  type PatternNode,
  type PatternStep,
  type RowCondition,
} from '#graph/execution';
import type { Constants } from './constants.ts';
import { ExpressionResolver, type KindCheck } from './resolve-expression.ts';

export function patternOf(find: BoundFind, constants: Constants, checks: KindCheck[]): Pattern {
  const resolver = new ExpressionResolver<RowOperand>(constants, checks);
  const where = conjuncts(find.where === undefined ? undefined : resolver.resolve(find.where));
  const byElement = new Map<number, RowCondition[]>();
  const conditions: RowCondition[] = [];
  for (const part of where) {
    const element = onlyElement(part);
    if (element === undefined || !isMovable(find.elements[element])) conditions.push(part);
    else byElement.set(element, [...(byElement.get(element) ?? []), part]);
  }
  const resolve = (filter: RowExpression): RowCondition => resolver.resolve(filter);
  return { root: new PatternBuilder(resolve, byElement).node(find.node, find.hops), conditions };
}

/** A selection of one node by its own WITH. */
export function selectionOf(node: BoundNode, conditions: readonly RowCondition[]): Selection {
  const condition = allOf(conditions);
  const names = node.names === '*' ? '*' : node.names.map((name) => name.text);
  const filter: Filter | undefined = condition && filterOf(condition);
  return filter === undefined ? { names } : { names, filter };
}

const NOTHING_MORE: PatternBody = { hops: [], groups: [] };

class PatternBuilder {
  readonly #resolve: (filter: RowExpression) => RowCondition;
  readonly #conditions: ReadonlyMap<number, readonly RowCondition[]>;

  constructor(
    resolve: (filter: RowExpression) => RowCondition,
    conditions: ReadonlyMap<number, readonly RowCondition[]>,
  ) {
    this.#resolve = resolve;
    this.#conditions = conditions;
  }

  /** `following` are the patterns that continue from the node. */
  node(node: BoundNode, following: readonly BoundHopPattern[]): PatternNode {
    const own = node.filter === undefined ? [] : [this.#resolve(node.filter)];
    const selection = selectionOf(node, [...own, ...(this.#conditions.get(node.element) ?? [])]);
    const { hops, groups } = this.#body(following);
    return { element: node.element, selection, hops, groups };
  }

  /**
   * Groups up to the first hop, and that hop, are children of the current node; the rest continues from the
   * hop's target. A required group is equivalent to its hops.
   */
  #body(patterns: readonly BoundHopPattern[]): PatternBody {
    if (patterns.length === 0) return NOTHING_MORE;
    const hops: PatternHop[] = [];
    const groups: PatternGroup[] = [];
    let passed = 0;
    for (const pattern of patterns) {
      passed++;
      if (pattern.kind === 'hop') {
        hops.push(this.#hop(pattern, patterns.slice(passed)));
        break;
      }
      const body = this.#body(pattern.hops);
      if (pattern.mode === 'required') {
        hops.push(...body.hops);
        groups.push(...body.groups);
      } else groups.push({ mode: pattern.mode, ...body });
    }
    return { hops, groups };
  }

  #hop(hop: BoundHop, following: readonly BoundHopPattern[]): PatternHop {
    const condition = allOf(this.#conditions.get(hop.element) ?? []);
    const step: PatternStep = {
      element: hop.element,
      verbs: hop.verbs === '*' ? '*' : hop.verbs.map((verb) => verb.text),
      direction: hop.direction,
      ...(hop.repeat === undefined ? {} : { repeat: hop.repeat }),
      ...(condition === undefined ? {} : { condition }),
    };
    return { step, target: this.node(hop.target, following) };
  }
}

function isMovable(element: BoundElement | undefined): boolean {
  return element?.presence === 'required';
}

/** The single element whose fields a condition tests, if it tests no others. */
function onlyElement(condition: RowCondition): number | undefined {
  switch (condition.kind) {
    case 'test':
      return condition.operand.kind === 'field' ? condition.operand.element : undefined;
    case 'not':
      return onlyElement(condition.item);
    case 'and':
    case 'or': {
      const elements = new Set(condition.items.map(onlyElement));
      return elements.size === 1 ? [...elements][0] : undefined;
    }
    default:
      return undefined;
  }
}
