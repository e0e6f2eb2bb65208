import type { HostFiles } from './host-files.ts';
import { ipv6Of } from './kernel-address.ts';

export interface SystemFacts {
  readonly name: string | undefined;
  /** `debian`. */
  readonly osId: string | undefined;
  readonly osName: string | undefined;
  readonly osVersion: string | undefined;
  readonly kernel: string | undefined;
}

export interface NetworkInterface {
  readonly name: string;
  readonly mac: string | undefined;
  readonly state: string | undefined;
  readonly addresses: readonly string[];
}

export async function readSystem(files: HostFiles): Promise<SystemFacts> {
  const release = variablesOf((await files.text('/etc/os-release', '/usr/lib/os-release')) ?? '');
  const kernelName = await files.text('/proc/sys/kernel/hostname');
  const name = kernelName ?? (await files.text('/etc/hostname'));
  return {
    name: wordIn(name),
    osId: release.get('ID'),
    osName: release.get('PRETTY_NAME') ?? release.get('NAME'),
    osVersion: release.get('VERSION_ID'),
    kernel: wordIn(await files.text('/proc/sys/kernel/osrelease')),
  };
}

/** The first line of a file with one word; comments are skipped. */
function wordIn(text: string | undefined): string | undefined {
  const lines = text?.split('\n').map((line) => line.trim()) ?? [];
  return lines.find((line) => line !== '' && !line.startsWith('#'));
}

/** Assignments of a shell: `NAME="Debian GNU/Linux"`. */
function variablesOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)) {
    const plain = value.trim().replace(/^(["'])(.*)\1$/, '$2');
    if (plain !== '') found.set(name, plain.replaceAll(/\\(.)/g, '$1'));
  }
  return found;
}

/** The interfaces of a running machine, without the loopback. */
export async function readInterfaces(files: HostFiles): Promise<readonly NetworkInterface[]> {
  const names = [...((await files.links('/sys/class/net'))?.keys() ?? [])].filter((name) => name !== 'lo');
  const routes = routesIn((await files.text('/proc/net/route')) ?? '');
  const own = localAddressesIn((await files.text('/proc/net/fib_trie')) ?? '');
  const sixes = (await files.text('/proc/net/if_inet6')) ?? '';
  const interfaces: NetworkInterface[] = [];
  for (const name of names) {
    const mac = wordIn(await files.text(`/sys/class/net/${name}/address`));
    const state = wordIn(await files.text(`/sys/class/net/${name}/operstate`));
    const fours = own.filter((address) => interfaceOf(address, routes) === name);
    interfaces.push({ name, mac, state, addresses: [...fours, ...ipv6AddressesIn(sixes, name)] });
  }
  return interfaces;
}

interface Route {
  readonly name: string;
  readonly network: number;
  readonly mask: number;
}

/** Networks that an interface reaches itself, not by a router. */
function routesIn(text: string): readonly Route[] {
  const rows = text
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([name = '', network = '', gateway = '', , , , , mask = '']) =>
    gateway === '00000000' && mask !== ''
      ? [{ name, network: Number.parseInt(network, 16), mask: Number.parseInt(mask, 16) }]
      : [],
  );
}

/** The interface whose network has the address; the one of the smallest network. */
function interfaceOf(address: string, routes: readonly Route[]): string | undefined {
  const bytes = address.split('.').map(Number);
  // The kernel writes the bytes of an address in the order of the machine, which is little-endian.
  const value = bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
  const fitting = routes.filter(({ network, mask }) => (value & mask) >>> 0 === network);
  return fitting.sort((a, b) => bitsIn(b.mask) - bitsIn(a.mask))[0]?.name;
}

function bitsIn(mask: number): number {
  return (mask >>> 0).toString(2).replaceAll('0', '').length;
}

/** `|-- 192.0.2.2` before `/32 host LOCAL`, without those of the loopback. */
function localAddressesIn(text: string): readonly string[] {
  const found = Array.from(
    text.matchAll(/\|-- (\d+\.\d+\.\d+\.\d+)\n\s+\/32 host LOCAL/g),
    ([, address = '']) => address,
  );
  return [...new Set(found)].filter((address) => !address.startsWith('127.'));
}

function ipv6AddressesIn(text: string, name: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const [digits = '', , , , , owner] = line.trim().split(/\s+/);
    return owner === name ? [ipv6Of(digits)] : [];
  });
}
