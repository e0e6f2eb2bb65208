import { assert } from '#platform/foundation';
import type { PatternHop, PatternNode } from './pattern.ts';
import { reversed } from './set-plan.ts';

/** The same pattern, hung up at another of its required nodes. */
export function rerooted(root: PatternNode, element: number): PatternNode {
  const found = search(root, element);
  assert(found !== undefined, `expected element ${String(element)} in the pattern`);
  return found;
}

/** The root and all that is reached from it by required hops. */
export function requiredNodes(root: PatternNode): readonly PatternNode[] {
  return [root, ...root.hops.flatMap((hop) => requiredNodes(hop.target))];
}

function search(node: PatternNode, element: number, above?: PatternHop): PatternNode | undefined {
  if (node.element === element) return above === undefined ? node : { ...node, hops: [...node.hops, above] };
  for (const hop of node.hops) {
    const others = node.hops.filter((other) => other !== hop);
    const target = { ...node, hops: above === undefined ? others : [...others, above] };
    const found = search(hop.target, element, { step: reversed(hop.step), target });
    if (found !== undefined) return found;
  }
  return undefined;
}
