import { nearestName } from '#platform/foundation';

/** What to write instead of `name`: the known name that it nearly is, or else all of them. */
export function nameHint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  return known.length === 0 ? 'there are none' : `expected ${known.join(', ')}`;
}
