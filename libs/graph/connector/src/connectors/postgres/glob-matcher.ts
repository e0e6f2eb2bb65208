/** A pattern in which `*` stands for any characters and `?` for one; the whole text must match. */
export function globMatcher(patterns: readonly string[]): (text: string) => boolean {
  const expressions = patterns.map((pattern) => {
    const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*');
    return new RegExp(`^${escaped.replaceAll('?', '.')}$`, 's');
  });
  return (text) => expressions.some((expression) => expression.test(text));
}
