/** The time that `Retry-After` asks for, in seconds or until a date; undefined if it is not readable. */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const atMs = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** The target with `rel="next"` of the header `Link` (RFC 8288); undefined if there is none. */
export function nextOfLink(headers: Headers): string | undefined {
  const text = headers.get('link') ?? '';
  for (const [, target = '', parameters = ''] of text.matchAll(/<([^>]*)>((?:\s*;[^,<"]*(?:"[^"]*")?)*)/g)) {
    const relations = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/i.exec(parameters);
    const names = (relations?.[1] ?? relations?.[2] ?? '').toLowerCase().split(/\s+/);
    if (names.includes('next')) return target;
  }
  return undefined;
}
