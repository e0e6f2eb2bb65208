/** The items in lists of `count`, and a shorter last one. */
export function* chunks<T>(items: Iterable<T>, count: number): Generator<readonly T[]> {
  let chunk: T[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < count) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
