/** A tree and all objects in it, without recursion. */
export function* allParts(tree: object): Generator<object> {
  const waiting: unknown[] = [tree];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    yield next;
    for (const part of Object.values(next) as readonly unknown[]) waiting.push(part);
  }
}
