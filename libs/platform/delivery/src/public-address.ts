/**
 * Resolves the address of a message's receiver: private addresses are allowed only for hosts listed in the
 * file. The connection uses the checked address, which prevents DNS rebinding.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { DeliveryFailed } from './delivery-failure.ts';
import { EMBEDDING_V4, GLOBAL_UNICAST, SPECIAL_V4, SPECIAL_V6 } from './special-purpose.ts';

// One list a family: a BlockList with mapped addresses would match all of IPv4.
const PRIVATE_V4 = listOf(SPECIAL_V4, 'ipv4');
const PRIVATE_V6 = listOf(SPECIAL_V6, 'ipv6');
const GLOBAL_V6 = listOf([GLOBAL_UNICAST], 'ipv6');
const EMBEDDING = listOf(EMBEDDING_V4, 'ipv6');

function listOf(networks: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family);
  return list;
}

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

/** Whether the address, or the IPv4 address that it embeds, is one of the public internet. */
export function isPublic(address: string): boolean {
  if (!isIPv6(address)) return isIPv4(address) && !PRIVATE_V4.check(address, 'ipv4');
  // The zone of a link-local address.
  const [plain = ''] = address.split('%', 1);
  if (EMBEDDING.check(plain, 'ipv6')) return isPublic(embeddedV4(plain));
  return GLOBAL_V6.check(plain, 'ipv6') && !PRIVATE_V6.check(plain, 'ipv6');
}

/** The last 32 bits of an IPv6 address. */
function embeddedV4(address: string): string {
  const dotted = /[\d.]+$/.exec(address)?.[0] ?? '';
  if (isIPv4(dotted)) return dotted;
  const [high = '0', low = '0'] = address.split(':').slice(-2);
  const bits = [high, low].map((group) => Number.parseInt(group === '' ? '0' : group, 16));
  return bits.flatMap((group) => [group >> 8, group & 0xff]).join('.');
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
