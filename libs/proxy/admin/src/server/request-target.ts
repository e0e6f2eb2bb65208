/** What a request is about: `path` as it was sent, `rest` with the query. */
export interface RequestTarget {
  readonly path: string;
  readonly rest: string;
}

/** Of a request line. The absolute form, which proxies send, is the same as its path (RFC 9112 §3.2.2). */
export function requestTargetOf(url: string): RequestTarget {
  const local = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const target = local === url || /^[/?]/.test(local) ? local : `/${local}`;
  const end = target.indexOf('?');
  return end === -1 ? { path: target, rest: '' } : { path: target.slice(0, end), rest: target.slice(end) };
}
