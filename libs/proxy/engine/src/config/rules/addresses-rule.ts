/**
 * No address occurs twice: every socket can be bound, and no endpoint is the admin server itself.
 *
 * Two addresses with the same port conflict when their hosts are equal, or when one of them covers all
 * interfaces (`[::]` covers IPv4 too). Names are compared as written, except `localhost`.
 */
import type { DocumentFault } from '#platform/config';
import type { Machine } from '../machine.ts';
import type { HostPort } from '../proxy-config.ts';
import { leadsTo } from './reach.ts';
import type { ConfigRule, WrittenNode } from './written-node.ts';

const ALL_IPV4 = '0.0.0.0';
const ALL = '::';
const LOOPBACK = ['127.0.0.1', '::1'];

export const addressesRule: ConfigRule = (file, machine) => {
  const admin = file.get('admin_address');
  const listeners = file.items('listeners').map((listener) => listener.get('address'));
  const clusters = file.items('clusters').map((cluster) => endpointsOf(cluster));
  return [
    ...clashes([admin, ...listeners]),
    ...clusters.flatMap((endpoints) => repeated(endpoints)),
    ...clusters
      .flat()
      .filter((endpoint) => isAdmin(endpoint, admin, machine))
      .map(adminFault),
  ];
};

function endpointsOf(cluster: WrittenNode): WrittenNode[] {
  return cluster.items('endpoints').map((endpoint) => endpoint.get('address'));
}

function clashes(nodes: readonly WrittenNode[]): DocumentFault[] {
  const byPort = Map.groupBy(nodes, ({ address }) => address?.port ?? 0);
  byPort.delete(0);
  return Array.from(byPort.values()).flatMap((same) =>
    same.flatMap((node, index) => {
      const other = same.slice(0, index).find((before) => isClash(before.address, node.address));
      return other === undefined ? [] : [node.fault(`the port is used by ${nameOf(other)}`)];
    }),
  );
}

function nameOf(node: WrittenNode): string {
  const { text = '', path } = node;
  return path[0] === 'admin_address' ? `admin_address ${text}` : `another listener, ${text}`;
}

function isClash(a: HostPort | undefined, b: HostPort | undefined): boolean {
  if (a === undefined || b?.port !== a.port || a.port === 0) return false;
  return hostsOf(a).some((one) =>
    hostsOf(b).some((other) => one === other || covers(one, other) || covers(other, one)),
  );
}

/** Whether binding `wide` uses the port of `host` too. */
function covers(wide: string, host: string): boolean {
  return wide === ALL || (wide === ALL_IPV4 && !host.includes(':'));
}

function hostsOf({ host }: HostPort): readonly string[] {
  const name = host.toLowerCase();
  return name === 'localhost' ? LOOPBACK : [name];
}

function repeated(endpoints: readonly WrittenNode[]): DocumentFault[] {
  const seen = new Set<string>();
  return endpoints.flatMap((endpoint) => {
    const { address } = endpoint;
    const key = address === undefined ? undefined : `${address.host.toLowerCase()} ${address.port}`;
    if (key !== undefined && seen.has(key)) return [endpoint.fault('the cluster has this endpoint already')];
    if (key !== undefined) seen.add(key);
    return [];
  });
}

function isAdmin(endpoint: WrittenNode, admin: WrittenNode, machine: Machine): boolean {
  if (endpoint.address === undefined || admin.address === undefined) return false;
  const isSame = isClash(admin.address, endpoint.address) && !isWide(admin.address);
  return isSame || leadsTo(endpoint.address, admin.address, machine);
}

function isWide({ host }: HostPort): boolean {
  return host === ALL_IPV4 || host === ALL;
}

function adminFault(endpoint: WrittenNode): DocumentFault {
  return endpoint.fault('this is the admin_address: no traffic may be sent there');
}
