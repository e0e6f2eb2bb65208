/** Headers that are meant for one connection, and not for who is beyond it. Hot path where there are any. */

const OWN_WORDS = new Set(['close', 'keep-alive', 'upgrade', 'te', 'trailers', '']);
/** Whoever has these left out wants to change what the message means. */
const KEPT = new Set(['host', 'content-length']);

/** The words of `Connection`, in lower case. */
export function connectionWords(connection: string): string[] {
  return connection
    .toLowerCase()
    .split(',')
    .map((word) => word.trim());
}

/** `headers` (names and values in turn) without those that `Connection` names; the same array if none is. */
export function withoutNamed(headers: string[], words: readonly string[]): string[] {
  const dropped = words.filter((word) => !OWN_WORDS.has(word) && !KEPT.has(word));
  if (dropped.length === 0) return headers;
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    if (!dropped.includes(headers[index]!.toLowerCase())) kept.push(headers[index]!, headers[index + 1]!);
  }
  return kept;
}
