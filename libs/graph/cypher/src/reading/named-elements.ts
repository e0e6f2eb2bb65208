import { allParts } from '../syntax/all-parts.ts';
import type { LabelExpression, PathPattern, ProjectionItem, Query } from '../syntax/ast.ts';

/** What a name of a statement stands for; the first pattern with labels or types tells which. */
export type NamedElement =
  | { readonly kind: 'node'; readonly labels: LabelExpression | undefined }
  | { readonly kind: 'link'; readonly types: LabelExpression | undefined };

/** The names of nodes and relationships, with those that WITH and RETURN give them. */
export function namedElements(query: Query): ReadonlyMap<string, NamedElement> {
  const elements = new Map<string, NamedElement>();
  const renamed: (readonly [from: string, to: string])[] = [];
  for (const part of allParts(query)) {
    if ('nodes' in part && 'links' in part) addPath(part as PathPattern, elements);
    else if ('hasAlias' in part && 'expression' in part) {
      const { expression, name } = part as ProjectionItem;
      if (expression.kind === 'variable') renamed.push([expression.name, name]);
    }
  }
  for (const [from, to] of renamed) {
    const element = elements.get(from);
    if (element !== undefined && !elements.has(to)) elements.set(to, element);
  }
  return elements;
}

function addPath({ nodes, links }: PathPattern, elements: Map<string, NamedElement>): void {
  for (const { variable, labels } of nodes) {
    if (variable === undefined) continue;
    const known = elements.get(variable.text);
    if (known === undefined || (known.kind === 'node' && known.labels === undefined))
      elements.set(variable.text, { kind: 'node', labels });
  }
  for (const { variable, types, range } of links) {
    if (variable !== undefined && range === undefined) elements.set(variable.text, { kind: 'link', types });
  }
}
