/** Lists that are searched one by one: a set costs more. */
const FEW = 8;
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Whether a list of texts, which does not change, has the text; a long list is searched as a set. */
export function isOneOf(texts: readonly string[], text: string): boolean {
  if (texts.length <= FEW) return texts.includes(text);
  const known = sets.get(texts);
  if (known !== undefined) return known.has(text);
  const set = new Set(texts);
  sets.set(texts, set);
  return set.has(text);
}
