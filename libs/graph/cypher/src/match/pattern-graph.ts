/**
 * The patterns of one MATCH as a graph of their own: nodes and relationships by number, each with the slot of
 * its variable. Equal variables are one element.
 */
import type { Variable } from '../expression/scope.ts';
import type { Scope } from '../expression/scope.ts';
import { KIND_NAMES } from '../expression/static-type.ts';
import { possibleTypes, requiredLabels } from '../expression/labels.ts';
import type { LinkPattern, MapEntry, Name, NodePattern, PathPattern } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';

export interface NodeElement {
  readonly slot: number;
  /** All occurrences of the variable in the patterns. */
  readonly patterns: NodePattern[];
  /** Whether an earlier clause has bound it. */
  readonly isBound: boolean;
}

export interface LinkElement {
  readonly slot: number;
  readonly pattern: LinkPattern;
  /** Nodes by number, on the left and the right of the pattern. */
  readonly left: number;
  readonly right: number;
  readonly types: readonly string[] | '*';
  readonly shortest: 'one' | 'all' | undefined;
  readonly isBound: boolean;
  /** Of a quantified path pattern: its variables, each a list with a value of each repetition. */
  readonly lists: readonly Variable[];
}

export interface PathElement {
  readonly slot: number;
  readonly start: number;
  /** Relationships by number. */
  readonly links: readonly number[];
}

export interface PatternGraph {
  readonly nodes: readonly NodeElement[];
  readonly links: readonly LinkElement[];
  readonly paths: readonly PathElement[];
  /** The scope with the variables of the patterns. */
  readonly scope: Scope;
  /** Variables that the patterns have added; anonymous ones are not among them. */
  readonly added: readonly Variable[];
}

/** Throws for names that are taken, or hold something of another kind. */
export function patternGraphOf(patterns: readonly PathPattern[], scope: Scope): PatternGraph {
  refuseTooMany(patterns);
  const builder = new PatternGraphBuilder(scope);
  for (const pattern of patterns) builder.add(pattern);
  return builder.graph;
}

/** Of a MATCH: the order of its steps is looked for among all of them. */
const ELEMENTS_MAX = 1_000;

function refuseTooMany(patterns: readonly PathPattern[]): void {
  let count = 0;
  for (const { nodes, links, span } of patterns) {
    count += nodes.length + links.length;
    if (count <= ELEMENTS_MAX) continue;
    const message = `patterns of one clause have at most ${ELEMENTS_MAX} nodes and relationships`;
    throw new SyntaxFault('StatementTooLong', span, message);
  }
}

class PatternGraphBuilder {
  readonly #outer: Scope;
  #scope: Scope;
  readonly #nodes: NodeElement[] = [];
  readonly #links: LinkElement[] = [];
  readonly #paths: PathElement[] = [];
  readonly #added: Variable[] = [];
  readonly #nodeNumbers = new Map<string, number>();
  readonly #linkNames = new Set<string>();

  constructor(scope: Scope) {
    this.#outer = scope;
    this.#scope = scope;
  }

  get graph(): PatternGraph {
    return {
      nodes: this.#nodes,
      links: this.#links,
      paths: this.#paths,
      scope: this.#scope,
      added: this.#added,
    };
  }

  add(path: PathPattern): void {
    const [first] = path.nodes;
    if (first === undefined) return;
    refuseShortest(path);
    const start = this.#node(first);
    const links: number[] = [];
    let left = start;
    for (const [index, link] of path.links.entries()) {
      const next = path.nodes[index + 1];
      if (next === undefined) break;
      const right = this.#node(next);
      links.push(this.#link(link, { left, right, shortest: path.shortest }));
      left = right;
    }
    if (path.variable === undefined) return;
    this.#refuseElement(path.variable);
    const { scope, variable } = this.#scope.declare(path.variable, 'path');
    this.#keep(scope, variable);
    this.#paths.push({ slot: variable.slot, start, links });
  }

  /** A variable of this clause's own patterns cannot name their path too. */
  #refuseElement({ text, span }: Name): void {
    if (!this.#nodeNumbers.has(text) && !this.#linkNames.has(text)) return;
    throw new SyntaxFault('VariableAlreadyBound', span, `the variable \`${text}\` is already defined`);
  }

  #node(pattern: NodePattern): number {
    const name = pattern.variable?.text;
    const known = name === undefined ? undefined : this.#nodeNumbers.get(name);
    const element = known === undefined ? undefined : this.#nodes[known];
    if (known !== undefined && element !== undefined) {
      element.patterns.push(pattern);
      return known;
    }
    const number = this.#nodes.length;
    if (name !== undefined) this.#nodeNumbers.set(name, number);
    this.#nodes.push({ ...this.#slotOf(pattern.variable, 'node'), patterns: [pattern] });
    return number;
  }

  #link(
    pattern: LinkPattern,
    ends: { readonly left: number; readonly right: number; readonly shortest: PathPattern['shortest'] },
  ): number {
    const { variable } = pattern;
    if (variable !== undefined) {
      if (this.#linkNames.has(variable.text)) {
        const message = `the relationship \`${variable.text}\` cannot stand in two places of one pattern`;
        throw new SyntaxFault('RelationshipUniquenessViolation', variable.span, message);
      }
      this.#linkNames.add(variable.text);
    }
    const kind = pattern.range === undefined ? 'link' : 'links';
    this.#links.push({
      ...this.#slotOf(variable, kind),
      ...ends,
      pattern,
      types: possibleTypes(pattern.types),
      lists: this.#listsOf(pattern.group),
    });
    return this.#links.length - 1;
  }

  #listsOf(group: LinkPattern['group']): readonly Variable[] {
    const names = new Map<string, { readonly name: Name; readonly kind: 'list' | 'links' }>();
    for (const { variable } of group?.path.nodes ?? []) {
      if (variable !== undefined) names.set(variable.text, { name: variable, kind: 'list' });
    }
    for (const { variable } of group?.path.links ?? []) {
      if (variable !== undefined) names.set(variable.text, { name: variable, kind: 'links' });
    }
    return [...names.values()].map(({ name, kind }) => {
      const { scope, variable } = this.#scope.declare(name, kind);
      this.#keep(scope, variable);
      return variable;
    });
  }

  #slotOf(name: Name | undefined, kind: 'node' | 'link' | 'links'): { slot: number; isBound: boolean } {
    if (name === undefined) return { slot: this.#scope.slots.next(), isBound: false };
    const known = this.#scope.find(name.text);
    if (known === undefined) {
      const { scope, variable } = this.#scope.with(name.text, kind);
      this.#keep(scope, variable);
      return { slot: variable.slot, isBound: false };
    }
    const isList = kind === 'links' && known.kind === 'list';
    const fits = known.kind === kind || known.kind === 'value' || isList;
    if (fits) return { slot: known.slot, isBound: this.#outer.find(name.text) === known };
    const message = `\`${name.text}\` is ${KIND_NAMES[known.kind]} already, not ${KIND_NAMES[kind]}`;
    throw new SyntaxFault('VariableTypeConflict', name.span, message);
  }

  #keep(scope: Scope, variable: Variable): void {
    this.#scope = scope;
    this.#added.push(variable);
  }
}

function refuseShortest({ shortest, links, span }: PathPattern): void {
  if (shortest === undefined || links.length === 1) return;
  throw new SyntaxFault('InvalidRelationshipPattern', span, 'a shortest path has exactly one relationship');
}

/** Whether its types alone say which relationships it matches, and {@link LinkElement.types} has them all. */
export function isByTypes({ pattern, types }: LinkElement): boolean {
  const { properties, where, group } = pattern;
  const isListed = pattern.types === undefined || types !== '*';
  return isListed && properties === undefined && where === undefined && group === undefined;
}

/** Labels that every match of the node has. */
export function labelsOf({ patterns }: NodeElement): readonly string[] {
  return [...new Set(patterns.flatMap(({ labels }) => requiredLabels(labels)))];
}

/** The properties given in braces; undefined for those of a parameter. */
export function entriesOf({ properties }: NodePattern | LinkPattern): readonly MapEntry[] {
  return properties?.kind === 'map' ? properties.entries : [];
}
