import type { AdminConfig, HostPort, ProxyConfig } from '#proxy/engine';

/** A configuration with an admin server only. */
export function proxyConfig(parts: {
  readonly admin?: Partial<AdminConfig> | undefined;
  readonly host: string;
}): ProxyConfig & { readonly adminAddress: HostPort } {
  return {
    adminAddress: { host: parts.host, port: 0, text: `${parts.host}:0` },
    admin: {
      token: undefined,
      readOnly: false,
      allowedHosts: [],
      name: undefined,
      extensions: false,
      ...parts.admin,
    },
    engine: { kind: 'embedded', socket: undefined, config: undefined },
    workers: 1,
    listeners: [],
    clusters: [],
    routes: [],
    drain: { graceMs: 0, timeoutMs: 0 },
    warnings: [],
  };
}
