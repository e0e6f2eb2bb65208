/**
 * The address after `#`: `#/query?q=FIND+host` is path `query` with parameter `q`. It is never sent to the
 * server, so that queries stay out of its logs.
 */

/** A link to a view. */
export function hashOf(path: string, parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return query === '' ? `#/${path}` : `#/${path}?${query}`;
}

export function pathOf(hash: string): string {
  return hash.replace(/^#\/?/, '').split('?', 1)[0] ?? '';
}

export function parametersOf(hash: string): Readonly<Partial<Record<string, string>>> {
  const start = hash.indexOf('?');
  return Object.fromEntries(new URLSearchParams(start === -1 ? '' : hash.slice(start + 1)));
}
