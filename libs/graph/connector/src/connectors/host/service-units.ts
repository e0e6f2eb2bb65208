import { basename } from 'node:path';
import type { HostFiles } from './host-files.ts';

export interface ServiceUnit {
  /** `nginx.service`. */
  readonly name: string;
  readonly description: string | undefined;
  readonly user: string | undefined;
  /** Without its arguments, which may hold a secret. */
  readonly program: string | undefined;
  readonly isEnabled: boolean;
  readonly isMasked: boolean;
}

/** In the order of systemd: a unit of an earlier directory replaces that of a later one. */
const DIRECTORIES = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
];

/** The services of systemd by their files, without templates. */
export async function readUnits(files: HostFiles): Promise<readonly ServiceUnit[]> {
  const units = new Map<string, ServiceUnit>();
  const enabled = await enabledUnits(files);
  for (const directory of DIRECTORIES) {
    const links = (await files.links(directory)) ?? new Map<string, string>();
    for (const [name, target] of links) {
      if (!isService(name) || units.has(name) || target !== '/dev/null') continue;
      units.set(name, { ...NOTHING, name, isEnabled: false, isMasked: true });
    }
    for (const name of await files.list(directory)) {
      if (!isService(name) || units.has(name)) continue;
      const text = (await files.text(`${directory}/${name}`)) ?? '';
      units.set(name, { name, ...factsIn(text), isEnabled: enabled.has(name), isMasked: false });
    }
  }
  return [...units.values()];
}

const NOTHING = { description: undefined, user: undefined, program: undefined };

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

function factsIn(text: string): Pick<ServiceUnit, 'description' | 'user' | 'program'> {
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
  return {
    description: settings.get('Unit Description') || undefined,
    user: settings.get('Service User') || undefined,
    program: program === '' ? undefined : program,
  };
}
