/**
 * Whether a connection to an address reaches a listener of this machine. `0.0.0.0` and `[::]` mean all of its
 * addresses for a listener, and loopback for a client; `[::]` listens for IPv4 too.
 */
import { BlockList, isIP, isIPv4 } from 'node:net';
import type { Machine } from '../machine.ts';
import type { HostPort } from '../proxy-config.ts';

const ALL_IPV4 = '0.0.0.0';
const ALL = '::';
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

export function leadsTo(endpoint: HostPort, bound: HostPort, machine: Machine): boolean {
  if (endpoint.port !== bound.port || bound.port === 0) return false;
  const places = addressesOf(bound.host, machine).map(plain);
  return addressesOf(endpoint.host, machine)
    .flatMap(connected)
    .some((address) => places.some((place) => place === address || covers(place, address, machine)));
}

function addressesOf(host: string, machine: Machine): readonly string[] {
  const name = host.toLowerCase().replace(/\.$/, '');
  return isIP(name) === 0 ? machine.addressesOf(name) : [name];
}

function connected(address: string): readonly string[] {
  const host = plain(address);
  if (host === ALL_IPV4) return ['127.0.0.1'];
  return host === ALL ? ['::1', '127.0.0.1'] : [host];
}

function covers(place: string, address: string, machine: Machine): boolean {
  if (place !== ALL && (place !== ALL_IPV4 || !isIPv4(address))) return false;
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  return LOOPBACK.check(address, family) || machine.addresses.some((own) => plain(own) === address);
}

/** Normalizes an address: mapped IPv4 to IPv4, IPv6 to one spelling. */
function plain(address: string): string {
  if (isIPv4(address)) return address;
  const short = new URL(`http://[${address.replace(/%.*/, '')}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short);
  if (mapped === null) return short;
  const [high = 0, low = 0] = mapped.slice(1).map((part) => Number.parseInt(part, 16));
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}
