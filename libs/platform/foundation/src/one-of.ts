/** Lists that are searched one by one: a set costs more. */
const FEW = 8;
const sets = new WeakMap<readonly unknown[], ReadonlySet<unknown>>();

/** Whether a list, which does not change, has the item; a long list is searched as a set. */
export function isOneOf(items: readonly unknown[], item: unknown): boolean {
  if (items.length <= FEW) return items.includes(item);
  const known = sets.get(items);
  if (known !== undefined) return known.has(item);
  const set = new Set(items);
  sets.set(items, set);
  return set.has(item);
}
