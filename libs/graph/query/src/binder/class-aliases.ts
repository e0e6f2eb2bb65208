/**
 * Lets a class stand for the entity of that class: in `FIND user THAT HAS group RETURN group.name`, `group`
 * is an alias, as if written `group AS group`. A verb stands for its relationship likewise.
 */
import {
  type Aggregate,
  type AllFields,
  type Computed,
  type Expression,
  type FieldRef,
  type FindQuery,
  type Hop,
  type HopPattern,
  isComputed,
  type Name,
  type NodePattern,
  type Value,
} from '../ast/ast.ts';

type Reference = FieldRef | Aggregate | AllFields | Computed | Value | '*';

/**
 * The query with an alias for each class or verb that its clauses name as one. A class that several elements
 * have, or that is an alias too, is left: it would not say which one is meant.
 */
export function withClassAliases(find: FindQuery): FindQuery {
  const names = qualifiersOf(find);
  if (names.size === 0) return find;
  const aliases = new Set<string>();
  const found = new Map<string, number>();
  forEachElement(find, (element) => {
    if (element.alias !== undefined) aliases.add(element.alias.text);
    for (const name of namesOf(element, names)) found.set(name, (found.get(name) ?? 0) + 1);
  });
  const given = new Set(
    [...found].filter(([name, count]) => count === 1 && !aliases.has(name)).map(([name]) => name),
  );
  return given.size === 0 ? find : named(find, given);
}

type Element = NodePattern | Hop;

function forEachElement({ node, hops }: FindQuery, visit: (element: Element) => void): void {
  const visitHops = (items: readonly HopPattern[]): void => {
    for (const item of items) {
      if (item.kind === 'group') {
        visitHops(item.hops);
      } else {
        visit(item);
        visit(item.target);
      }
    }
  };
  visit(node);
  visitHops(hops);
}

/** The names among these that mean the element: its only class, or its only verb in any case. */
function namesOf(element: Element, names: Iterable<string>): readonly string[] {
  const own = element.kind === 'hop' ? element.verbs.names : element.names;
  const [first] = own;
  if (own.length !== 1 || typeof first !== 'object') return [];
  const isOwn =
    element.kind === 'hop'
      ? (name: string) => name.toUpperCase() === first.text.toUpperCase()
      : (name: string) => name === first.text;
  return [...names].filter(isOwn);
}

function named(find: FindQuery, given: ReadonlySet<string>): FindQuery {
  const aliasOf = (element: Element): { alias?: Name } => {
    const [text] = element.alias === undefined ? namesOf(element, given) : [];
    return text === undefined ? {} : { alias: Object.freeze({ text, span: element.span }) };
  };
  const nameNode = (node: NodePattern): NodePattern => Object.freeze({ ...node, ...aliasOf(node) });
  const nameHop = (hop: HopPattern): HopPattern => {
    if (hop.kind === 'hop') {
      const alias = hop.repeat === undefined ? aliasOf(hop) : {};
      return Object.freeze({ ...hop, ...alias, target: nameNode(hop.target) });
    }
    // What must not be there has no alias.
    if (hop.mode === 'absent') return hop;
    return Object.freeze({ ...hop, hops: Object.freeze(hop.hops.map(nameHop)) });
  };
  return Object.freeze({ ...find, node: nameNode(find.node), hops: Object.freeze(find.hops.map(nameHop)) });
}

/** The names before a dot in the clauses after the pattern. */
function qualifiersOf({ where, groupBy, having, returns, orderBy }: FindQuery): ReadonlySet<string> {
  const names = new Set<string>();
  const note = (reference: Reference): void => {
    if (reference === '*') return;
    if (reference.kind === 'aggregate') note(reference.argument);
    else if (isComputed(reference)) reference.terms.forEach(note);
    else if (reference.kind === 'all') names.add(reference.alias.text);
    else if (reference.kind === 'ref' && reference.alias !== undefined) names.add(reference.alias.text);
  };
  if (where !== undefined) forEachReference(where, note);
  groupBy.forEach(note);
  if (having !== undefined) forEachReference(having, note);
  returns?.items.forEach(({ value }) => note(value));
  orderBy.forEach(({ value }) => note(value));
  return names;
}

function forEachReference(expression: Expression, visit: (reference: Reference) => void): void {
  switch (expression.kind) {
    case 'and':
    case 'or':
      expression.items.forEach((item) => forEachReference(item, visit));
      return;
    case 'not':
      forEachReference(expression.item, visit);
      return;
    case 'in':
      visit(expression.left);
      if (!('kind' in expression.values)) expression.values.forEach(visit);
      return;
    case 'between':
      [expression.left, expression.low, expression.high].forEach(visit);
      return;
    case 'exists':
      visit(expression.left);
      return;
    case 'linked':
      return;
    default:
      visit(expression.left);
      visit(expression.right);
  }
}
