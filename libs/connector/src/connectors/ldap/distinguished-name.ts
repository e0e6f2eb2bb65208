const SEPARATOR = /(?<!\\)((?:\\\\)*)\s*,\s*/;

/**
 * A distinguished name in one spelling, so that it can be compared: `UID=Ann, DC=Corp` and `uid=ann,dc=corp`
 * are the same entry. Escaped commas stay within their part.
 */
export function normalName(name: string): string {
  return partsOf(name)
    .map((part) =>
      part
        .replace(/\s*=\s*/, '=')
        .trim()
        .toLowerCase(),
    )
    .join(',');
}

function partsOf(name: string): readonly string[] {
  const parts: string[] = [];
  let rest = name.trim();
  for (let match = SEPARATOR.exec(rest); match !== null; match = SEPARATOR.exec(rest)) {
    parts.push(rest.slice(0, match.index) + (match[1] ?? ''));
    rest = rest.slice(match.index + match[0].length);
  }
  return [...parts, rest];
}
