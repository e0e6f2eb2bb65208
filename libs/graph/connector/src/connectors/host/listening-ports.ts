import type { HostFiles } from './host-files.ts';
import { ipv4Of, ipv6OfSocket } from './kernel-address.ts';

export interface ListeningPort {
  readonly protocol: 'tcp' | 'udp';
  readonly address: string;
  readonly port: number;
  readonly uid: number;
  /** The name and program of its process, and the unit to which that belongs, where they may be read. */
  readonly process: string | undefined;
  readonly program: string | undefined;
  readonly unit: string | undefined;
}

interface Socket extends Pick<ListeningPort, 'protocol' | 'address' | 'port' | 'uid'> {
  readonly inode: string;
}

const TABLES = [
  { name: 'tcp', protocol: 'tcp', state: '0A', addressOf: ipv4Of },
  { name: 'tcp6', protocol: 'tcp', state: '0A', addressOf: ipv6OfSocket },
  { name: 'udp', protocol: 'udp', state: '07', addressOf: ipv4Of },
  { name: 'udp6', protocol: 'udp', state: '07', addressOf: ipv6OfSocket },
] as const;

/** Undefined for a machine that does not run, such as the files of an image. */
export async function readListeningPorts(files: HostFiles): Promise<readonly ListeningPort[] | undefined> {
  const sockets = new Map<string, Socket>();
  let isRunning = false;
  for (const table of TABLES) {
    const text = await files.text(`/proc/net/${table.name}`);
    isRunning ||= text !== undefined;
    for (const socket of socketsIn(text ?? '', table)) {
      const key = `${socket.protocol} ${socket.address} ${socket.port}`;
      if (!sockets.has(key)) sockets.set(key, socket);
    }
  }
  if (!isRunning) return undefined;
  const owners = await socketOwners(files, new Set(Array.from(sockets.values(), ({ inode }) => inode)));
  return Array.from(sockets.values(), ({ inode, ...socket }) => ({
    ...socket,
    ...(owners.get(inode) ?? { process: undefined, program: undefined, unit: undefined }),
  }));
}

function* socketsIn(text: string, { protocol, state, addressOf }: (typeof TABLES)[number]): Iterable<Socket> {
  for (const line of text.split('\n').slice(1)) {
    const [, local, remote = '', found, , , , uid, , inode = ''] = line.trim().split(/\s+/);
    const [, digits = '', port = ''] = /^([0-9A-F]+):([0-9A-F]{4})$/.exec(local ?? '') ?? [];
    // A socket of UDP that has a peer answers only that one.
    if (digits === '' || found !== state || !/^0+:0+$/.test(remote)) continue;
    yield { protocol, address: addressOf(digits), port: Number.parseInt(port, 16), uid: Number(uid), inode };
  }
}

type Owner = Pick<ListeningPort, 'process' | 'program' | 'unit'>;

/** The first process that has each socket; those of other users are found by root only. */
async function socketOwners(
  files: HostFiles,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Owner>> {
  const owners = new Map<string, Owner>();
  const pids = (await files.listDirectories('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids.sort((a, b) => Number(a) - Number(b))) {
    const links = (await files.links(`/proc/${pid}/fd`)) ?? new Map<string, string>();
    const inodes = [...links.values()].map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? '');
    const own = inodes.filter((inode) => wanted.has(inode) && !owners.has(inode));
    if (own.length === 0) continue;
    const owner = await ownerOf(files, pid);
    for (const inode of own) owners.set(inode, owner);
  }
  return owners;
}

async function ownerOf(files: HostFiles, pid: string): Promise<Owner> {
  const program = (await files.links(`/proc/${pid}`))?.get('exe');
  const groups = (await files.text(`/proc/${pid}/cgroup`)) ?? '';
  const [, unit] = /\/([^/\s]+\.service)(?:\/|$)/m.exec(groups) ?? [];
  return {
    process: (await files.text(`/proc/${pid}/comm`))?.trim(),
    program: program?.replace(/ \(deleted\)$/, ''),
    unit,
  };
}
