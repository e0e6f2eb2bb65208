/**
 * Resolves the address of a message's receiver: private addresses are allowed only for hosts listed in the
 * file. The connection uses the checked address, which prevents DNS rebinding.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { DeliveryFailed } from './channel.port.ts';

const V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/** Includes the forms that embed IPv4 addresses: mapped, NAT64, 6to4, Teredo. */
const V6: readonly (readonly [string, number])[] = [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
];
// Two lists: a BlockList with mapped addresses would match all of IPv4.
const PRIVATE_V4 = new BlockList();
const PRIVATE_V6 = new BlockList();
for (const [network, prefix] of V4) PRIVATE_V4.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of V6) PRIVATE_V6.addSubnet(network, prefix, 'ipv6');

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** An allowed address of the host. Throws DeliveryFailed. */
export async function reachableAddress(host: string, allowed: readonly string[]): Promise<ResolvedAddress> {
  const name = host.replace(/^\[|\]$/g, '');
  const addresses = await addressesOf(name);
  const isAllowed = allowed.includes(name);
  const found = addresses.find(({ address }) => isAllowed || isPublic(address));
  if (found !== undefined) return found;
  throw new DeliveryFailed(`${name} is on a private network: name it in allow_private if that is meant`);
}

export function isPublic(address: string): boolean {
  return isIPv6(address) ? !PRIVATE_V6.check(address, 'ipv6') : !PRIVATE_V4.check(address, 'ipv4');
}

async function addressesOf(name: string): Promise<readonly ResolvedAddress[]> {
  if (isIP(name) !== 0) return [{ address: name, family: isIPv6(name) ? 6 : 4 }];
  try {
    const found = await lookup(name, { all: true });
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  } catch {
    throw new DeliveryFailed(`there is no address for ${name}`);
  }
}
