/** A target that does not begin with `/`, or has a fragment. */
export type Target =
  | { readonly path: string; readonly fault?: undefined }
  | { readonly path?: undefined; readonly fault: string };

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;

/** `host` is the Host header, empty when there is none: the authority of an absolute target has to be it. */
export function readTarget(target: string, method: string, host: string): Target {
  if (target.includes('#')) return { fault: 'a fragment in the target' };
  if (target === '*') return method === 'OPTIONS' ? { path: '*' } : { fault: 'a target for OPTIONS only' };
  const [, authority, rest] = ABSOLUTE.exec(target) ?? [];
  if (authority === undefined || rest === undefined) return { fault: 'a target that is no path' };
  if (authority.toLowerCase() !== host.toLowerCase()) return { fault: 'a target for another host' };
  return { path: rest.startsWith('/') ? rest : `/${rest}` };
}
