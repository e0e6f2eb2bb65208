import { nearestName } from '#platform/foundation';

/** A hint to replace `name`: the nearest known name, or else all of them. */
export function nameHint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  return known.length === 0 ? 'there are none' : `expected ${known.join(', ')}`;
}
