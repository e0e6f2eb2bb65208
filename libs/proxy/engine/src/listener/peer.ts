import { BlockList, isIP, isIPv4 } from 'node:net';
import type { AddressBlock } from '../config/proxy-config.ts';

const MAPPED = '::ffff:';

/** Converts an IPv4-mapped IPv6 address to IPv4. */
export function plainAddress(address: string | undefined): string {
  if (address === undefined) return '';
  const mapped = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : '';
  return isIPv4(mapped) ? mapped : address;
}

/** Peers whose forwarding headers are accepted. */
export class TrustedProxies {
  readonly #blocks = new BlockList();
  readonly #isEmpty: boolean;

  constructor(blocks: readonly AddressBlock[]) {
    this.#isEmpty = blocks.length === 0;
    for (const { address, bits, family } of blocks) this.#blocks.addSubnet(address, bits, family);
  }

  includes(address: string): boolean {
    return !this.#isEmpty && this.#blocks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }
}

/**
 * The client in front of all trusted proxies: the last untrusted address in `X-Forwarded-For`, or the first
 * one when all are trusted. An invalid entry ends the chain, because its author is unknown.
 */
export function clientBehind(peer: string, forwardedFor: string, trusted: TrustedProxies): string {
  let client = peer;
  for (const entry of forwardedFor.split(',').reverse()) {
    if (!trusted.includes(client)) return client;
    const address = addressIn(entry.trim());
    if (address === '') return client;
    client = address;
  }
  return client;
}

/** Some proxies add the port. */
function addressIn(entry: string): string {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
  return isIP(bare) === 0 ? '' : plainAddress(bare);
}
