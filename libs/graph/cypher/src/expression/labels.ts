import type { LabelExpression } from '../syntax/ast.ts';
import { typeFault } from '../value/arithmetic.ts';
import type { Truth } from '../value/equality.ts';
import { LinkValue, NodeValue, typeName, type Value } from '../value/value.ts';
import type { Run } from '../graph/run.ts';

type HasLabel = (label: string) => boolean;

/** Whether a node's labels, or a relationship's type, pass; null for null. */
export function compileLabels(labels: LabelExpression): (value: Value, run: Run) => Truth {
  return (value, { graph }) => {
    if (value === null) return null;
    if (value instanceof NodeValue) {
      const { node } = value;
      return passes(
        labels,
        (label) => graph.hasLabel(node, label),
        () => graph.labels(node).length > 0,
      );
    }
    if (!(value instanceof LinkValue)) throw typeFault(`expected a Node before :, got ${typeName(value)}`);
    const type = graph.type(value.link);
    return passes(
      labels,
      (label) => label === type,
      () => true,
    );
  };
}

export function passes(labels: LabelExpression, has: HasLabel, hasAny: () => boolean): boolean {
  switch (labels.kind) {
    case 'label':
      return has(labels.name);
    case 'any':
      return hasAny();
    case 'not':
      return !passes(labels.item, has, hasAny);
    case 'and':
      return labels.items.every((item) => passes(item, has, hasAny));
    case 'or':
      return labels.items.some((item) => passes(item, has, hasAny));
  }
}

/** The labels that a node certainly has where the expression holds. */
export function requiredLabels(labels: LabelExpression | undefined): readonly string[] {
  if (labels?.kind === 'label') return [labels.name];
  return labels?.kind === 'and' ? labels.items.flatMap(requiredLabels) : [];
}

/** All types that can pass, or `'*'` where the expression does not list them. */
export function possibleTypes(labels: LabelExpression | undefined): readonly string[] | '*' {
  if (labels?.kind === 'label') return [labels.name];
  if (labels?.kind !== 'or') return '*';
  const each = labels.items.map(possibleTypes);
  return each.includes('*') ? '*' : [...new Set(each.flat())];
}
