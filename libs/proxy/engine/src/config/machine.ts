import { hostname, networkInterfaces } from 'node:os';
import { isIP } from 'node:net';
import { type Disk, DiskError } from '#platform/disk';

/** Addresses and names of this machine, determined without a name server. */
export interface Machine {
  /** IP addresses of its interfaces, apart from loopback. */
  readonly addresses: readonly string[];
  /** Addresses of a name in lower case; empty when only a name server could resolve it. */
  readonly addressesOf: (name: string) => readonly string[];
}

const HOSTS_FILE = '/etc/hosts';
const LOOPBACK = ['127.0.0.1', '::1'];

/** A machine with loopback only. */
export const BARE_MACHINE: Machine = { addresses: [], addressesOf: loopbackOf };

/** Reads names and addresses of this machine; opens no socket. */
export async function readMachine(disk: Disk): Promise<Machine> {
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) =>
    list.map(({ address }) => address),
  );
  const hosts = parseHosts(await readHosts(disk));
  const own = hostname().toLowerCase();
  const addressesOf = (name: string): readonly string[] => {
    const known = hosts.get(name) ?? loopbackOf(name);
    return known.length === 0 && name === own ? addresses : known;
  };
  return { addresses, addressesOf };
}

/** Parses a hosts file: the addresses of each name, in lower case. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names)
      hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), address]);
  }
  return hosts;
}

/** Addresses of a name that always means this machine (RFC 6761, 6.3). */
function loopbackOf(name: string): readonly string[] {
  return name === 'localhost' || name.endsWith('.localhost') ? LOOPBACK : [];
}

async function readHosts(disk: Disk): Promise<string> {
  try {
    return await disk.readLooseText(HOSTS_FILE);
  } catch (error) {
    if (error instanceof DiskError) return '';
    throw error;
  }
}
