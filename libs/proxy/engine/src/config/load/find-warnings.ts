import type { DocumentFault } from '#platform/config';
import { isLoopback } from '#platform/foundation';
import type { ProxyConfig, RouteConfig } from '../proxy-config.ts';
import { firstCertificate } from '../tls-shape.ts';

type CheckedConfig = Omit<ProxyConfig, 'warnings'>;

/** What is allowed, and probably not meant so. */
export function findWarnings(config: CheckedConfig, nowMs: number): readonly DocumentFault[] {
  return [
    ...openAdmin(config),
    ...config.listeners.flatMap((listener, index) => {
      const certificate = listener.tls === undefined ? undefined : firstCertificate(listener.tls.certFile);
      const isOver = certificate !== undefined && certificate.validToDate.getTime() <= nowMs;
      const path = ['listeners', index, 'tls', 'cert_file'];
      return isOver ? [{ path, message: `the certificate was valid until ${certificate.validTo}` }] : [];
    }),
    ...unverifiedClusters(config),
    ...unusedClusters(config),
    ...hiddenRoutes(config),
  ];
}

function openAdmin({ adminAddress, admin }: CheckedConfig): DocumentFault[] {
  if (adminAddress === undefined || isLoopback(adminAddress.host)) return [];
  const message =
    admin.token === undefined
      ? 'whoever reaches this address may read; changes are refused without admin.token_env'
      : 'whoever reaches this address may read';
  return [{ path: ['admin_address'], message }];
}

function unverifiedClusters({ clusters }: CheckedConfig): DocumentFault[] {
  const message = 'certificates are not verified: anybody between here and the endpoints can pose as them';
  return clusters.flatMap(({ tls }, index) =>
    tls?.verify === false ? [{ path: ['clusters', index, 'tls', 'verify'], message }] : [],
  );
}

function unusedClusters({ listeners, clusters, routes }: CheckedConfig): DocumentFault[] {
  const used = new Set([...listeners, ...routes].map(({ cluster }) => cluster));
  return clusters.flatMap(({ name }, index) =>
    used.has(name) ? [] : [{ path: ['clusters', index, 'name'], message: 'nothing leads to this cluster' }],
  );
}

/** A route after another one with the same host and prefix, on no other listeners. */
function hiddenRoutes({ routes }: CheckedConfig): DocumentFault[] {
  const byPlace = Map.groupBy(routes.entries(), ([, { host, prefix }]) => `${host} ${prefix}`);
  return Array.from(byPlace.values()).flatMap((same) =>
    same.flatMap(([index, route], position) => {
      const hider = same.slice(0, position).find(([, before]) => isWithin(route, before));
      if (hider === undefined) return [];
      return [
        { path: ['routes', index], message: `never taken: the route on line ${hider[1].line} comes first` },
      ];
    }),
  );
}

function isWithin({ listeners: inner }: RouteConfig, { listeners: outer }: RouteConfig): boolean {
  return outer === undefined || (inner?.every((name) => outer.includes(name)) ?? false);
}
