import { BlockList, isIP, isIPv4 } from 'node:net';
import type { AddressBlock } from '../config/proxy-config.ts';

const MAPPED = '::ffff:';

/** An IPv4 address as itself, also where the socket speaks IPv6. */
export function plainAddress(address: string | undefined): string {
  if (address === undefined) return '';
  const mapped = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : '';
  return isIPv4(mapped) ? mapped : address;
}

/** The peers whose word about the client is believed. */
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
 * The client before all trusted proxies: the last address in `X-Forwarded-For` that is not one of theirs, or
 * the first of all when all are. What is no address ends the chain: who wrote it is not known.
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
