import { basename } from 'node:path';
import { DiskError } from '#platform/disk';
import type { HostFiles } from './host-files.ts';

export interface ServiceUnit {
  /** `nginx.service`. */
  readonly name: string;
  readonly description: string | undefined;
  readonly user: string | undefined;
  /** Whether systemd makes a user for each start. */
  readonly hasOwnUser: boolean;
  /** Without its arguments, which may hold a secret. */
  readonly program: string | undefined;
  readonly isEnabled: boolean;
  readonly isMasked: boolean;
  /** Whether a file of the unit may not be read: then only its name is known. */
  readonly isUnread: boolean;
}

/** In the order of systemd: a unit of an earlier directory replaces that of a later one. */
const DIRECTORIES = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
];

/** The services of systemd by their files, with what others add (`nginx.service.d`), without templates. */
export async function readUnits(files: HostFiles): Promise<readonly ServiceUnit[]> {
  const units = new Map<string, ServiceUnit>();
  const enabled = await enabledUnits(files);
  const additions = await addedFiles(files);
  const additionsOf = (name: string): readonly string[] => [
    ...(additions.get(name) ?? []),
    ...(additions.get('service') ?? []),
  ];
  for (const directory of DIRECTORIES) {
    const { masked, own } = await servicesIn(files, directory);
    for (const name of masked) if (!units.has(name)) units.set(name, { ...NOTHING, name, isMasked: true });
    for (const name of own) {
      if (units.has(name)) continue;
      const facts = await factsOf(files, [`${directory}/${name}`, ...additionsOf(name)]);
      if (facts !== undefined) units.set(name, { ...NOTHING, name, ...facts, isEnabled: enabled.has(name) });
    }
  }
  return [...units.values()];
}

/** Links under other names are aliases; under the same name, the unit is elsewhere. */
async function servicesIn(
  files: HostFiles,
  directory: string,
): Promise<{ readonly masked: readonly string[]; readonly own: readonly string[] }> {
  const links = [...((await files.links(directory)) ?? new Map<string, string>())];
  const namesOf = (isWanted: (name: string, target: string) => boolean): readonly string[] =>
    links.flatMap(([name, target]) => (isService(name) && isWanted(name, target) ? [name] : []));
  return {
    masked: namesOf((_name, target) => target === '/dev/null'),
    own: [
      ...(await files.list(directory)).filter(isService),
      ...namesOf((name, target) => basename(target) === name),
    ],
  };
}

const NOTHING = {
  description: undefined,
  user: undefined,
  hasOwnUser: false,
  program: undefined,
  isEnabled: false,
  isMasked: false,
  isUnread: false,
};

/** The files that add to a unit, or to all services, in their order; one of an earlier directory counts. */
async function addedFiles(files: HostFiles): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, Map<string, string>>();
  for (const directory of DIRECTORIES) {
    for (const folder of await files.listDirectories(directory)) {
      const [, unit] = /^(.+\.service|service)\.d$/.exec(folder) ?? [];
      if (unit === undefined) continue;
      const byName = found.get(unit) ?? new Map<string, string>();
      const links = [...((await files.links(`${directory}/${folder}`)) ?? new Map<string, string>()).keys()];
      for (const name of [...(await files.list(`${directory}/${folder}`)), ...links])
        if (name.endsWith('.conf') && !byName.has(name)) byName.set(name, `${directory}/${folder}/${name}`);
      found.set(unit, byName);
    }
  }
  const inOrder = (byName: ReadonlyMap<string, string>): readonly string[] =>
    [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, path]) => path);
  return new Map(Array.from(found, ([unit, byName]) => [unit, inOrder(byName)]));
}

/** Undefined for a unit whose own file is missing, such as a link without a target. */
async function factsOf(
  files: HostFiles,
  [own = '', ...others]: readonly string[],
): Promise<Partial<ServiceUnit> | undefined> {
  try {
    const text = await files.database(own);
    if (text === undefined) return undefined;
    const texts = await Promise.all(others.map((path) => files.database(path)));
    return factsIn([text, ...texts.filter((each) => each !== undefined)].join('\n'));
  } catch (error) {
    if (error instanceof DiskError && (error.code === 'EACCES' || error.code === 'EPERM'))
      return { isUnread: true };
    throw error;
  }
}

function isService(name: string): boolean {
  return name.endsWith('.service') && !name.includes('@');
}

/** Units that a target wants or requires, by the links of `systemctl enable`. */
async function enabledUnits(files: HostFiles): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const directory of DIRECTORIES) {
    for (const folder of await files.listDirectories(directory)) {
      if (!/\.(?:wants|requires)$/.test(folder)) continue;
      const links = (await files.links(`${directory}/${folder}`)) ?? new Map<string, string>();
      for (const [name, target] of links) {
        names.add(name);
        names.add(basename(target));
      }
    }
  }
  return names;
}

function factsIn(text: string): Partial<ServiceUnit> {
  const settings = new Map<string, string>();
  let section = '';
  for (const line of text.replaceAll(/\\\n/g, ' ').split('\n')) {
    const [, head] = /^\[([^\]]+)\]/.exec(line) ?? [];
    if (head !== undefined) section = head;
    const [, name, value = ''] = /^\s*([A-Za-z]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    // An empty value resets a list.
    if (name !== undefined) settings.set(`${section} ${name}`, value);
  }
  const command = settings.get('Service ExecStart') ?? '';
  const [program = ''] = command.replace(/^[@:+!|-]+/, '').split(/\s+/);
  const filled = (name: string): string | undefined => settings.get(name) || undefined;
  return {
    description: filled('Unit Description'),
    user: filled('Service User'),
    hasOwnUser: /^(?:1|yes|y|true|t|on)$/i.test(settings.get('Service DynamicUser') ?? ''),
    program: program === '' ? undefined : program,
  };
}
