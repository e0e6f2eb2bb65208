import { urlSecrets } from '#platform/foundation';

/** Where a JSON-RPC server is, in the parts that a connection and a request want. */
export interface RpcAddress {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What no message may show, though a server may repeat it. */
  readonly secrets: readonly string[];
}

/**
 * Name and password of a URL go into a header; nothing that is logged has them. `headers` are the target's
 * own, resolved.
 */
export function rpcAddress(url: string, headers: Readonly<Record<string, string>> = {}): RpcAddress {
  const { origin, pathname, search, username, password } = new URL(url);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    origin,
    path: pathname + search,
    headers: {
      'content-type': 'application/json',
      ...(credentials !== ':' && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
      ...headers,
    },
    secrets: [...urlSecrets(url), ...Object.values(headers)],
  };
}
