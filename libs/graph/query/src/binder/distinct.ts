import type { Name } from '../ast/ast.ts';

/** Removes duplicate names. */
export function distinct(
  names: readonly Name[] | '*',
  keyOf: (name: string) => string,
): readonly Name[] | '*' {
  if (names === '*') return '*';
  const byKey = new Map<string, Name>();
  for (const name of names) {
    const key = keyOf(name.text);
    if (!byKey.has(key)) byKey.set(key, name);
  }
  return Object.freeze([...byKey.values()]);
}
