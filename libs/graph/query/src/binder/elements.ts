/** Nodes and hops with their element numbers. */
import type { EndPattern, Hop, HopGroup, HopPattern, Name, NodePattern } from '../ast/ast.ts';
import type {
  BoundElement,
  BoundEnd,
  BoundGroup,
  BoundHop,
  BoundHopPattern,
  BoundNode,
  Presence,
} from './bound-query.ts';
import { distinct } from './distinct.ts';
import { bindWith } from './row-condition.ts';
import type { Scope } from './scope.ts';

/**
 * Numbers elements in source order and binds them in two passes: the first declares every alias, so that an
 * error in a filter can distinguish an alias declared later from an unknown one.
 */
export class Elements {
  readonly #scope: Scope;
  readonly #bound: BoundElement[] = [];
  #declared = 0;
  #next = 0;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  get all(): readonly BoundElement[] {
    return this.#bound;
  }

  declareNode(node: NodePattern, presence: Presence = 'required'): void {
    this.#scope.noteClasses(node);
    this.#declare('node', presence, node.alias);
  }

  declareEnd(end: EndPattern): void {
    if (end.kind === 'node') this.declareNode(end);
  }

  declareHops(hops: readonly HopPattern[], presence: Presence = 'required'): void {
    for (const hop of hops) {
      if (hop.kind === 'group') this.declareHops(hop.hops, presenceIn(hop, presence));
      else this.#declareHop(hop, presence);
    }
  }

  #declareHop(hop: Hop, presence: Presence): void {
    if (hop.alias !== undefined && hop.repeat !== undefined) {
      throw this.#scope.fault(
        hop.alias.span,
        'a repeated hop matches several relationships and cannot have an alias',
      );
    }
    this.#declare('hop', presence, hop.alias);
    this.declareNode(hop.target, presence);
  }

  #declare(kind: BoundElement['kind'], presence: Presence, alias: Name | undefined): void {
    const element = this.#declared++;
    if (alias === undefined) return;
    if (presence === 'absent')
      throw this.#scope.fault(alias.span, 'an element that must not exist cannot have an alias');
    this.#scope.declare(alias, { element, kind });
  }

  bindNode(pattern: NodePattern, presence: Presence = 'required'): BoundNode {
    const element = this.#next++;
    const { span } = pattern;
    const names = distinct(pattern.names, (name) => name);
    const node: BoundNode = { kind: 'node', element, names, presence, span };
    const alias = pattern.alias && { alias: pattern.alias.text };
    const filter = pattern.filter && {
      filter: bindWith(this.#scope, { element, names: pattern.names }, pattern.filter),
    };
    this.#bound[element] = node;
    return Object.freeze(Object.assign(node, alias, filter));
  }

  bindEnd(end: EndPattern): BoundEnd {
    return end.kind === 'node' ? this.bindNode(end) : end;
  }

  bindHops(hops: readonly HopPattern[], presence: Presence = 'required'): readonly BoundHopPattern[] {
    return Object.freeze(hops.map((hop) => this.#bindHopPattern(hop, presence)));
  }

  #bindHopPattern(hop: HopPattern, presence: Presence): BoundHopPattern {
    return hop.kind === 'group' ? this.#bindGroup(hop, presence) : this.#bindHop(hop, presence);
  }

  #bindGroup(group: HopGroup, presence: Presence): BoundGroup {
    const { mode, span } = group;
    return Object.freeze({
      kind: 'group',
      mode,
      hops: this.bindHops(group.hops, presenceIn(group, presence)),
      span,
    });
  }

  #bindHop(pattern: Hop, presence: Presence): BoundHop {
    const element = this.#next++;
    const { alias, direction, repeat, span } = pattern;
    const verbs = distinct(pattern.verbs.names, (verb) => verb.toUpperCase());
    const target = this.bindNode(pattern.target, presence);
    const hop: BoundHop = { kind: 'hop', element, verbs, direction, target, presence, span };
    this.#bound[element] = hop;
    return Object.freeze(Object.assign(hop, alias && { alias: alias.text }, repeat && { repeat }));
  }
}

/** A required group changes nothing; all elements inside an absent group are absent. */
function presenceIn(group: HopGroup, presence: Presence): Presence {
  return presence === 'absent' || group.mode === 'required' ? presence : group.mode;
}
