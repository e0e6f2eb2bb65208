import type { HostFiles } from './host-files.ts';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly comment: string | undefined;
  readonly home: string | undefined;
  readonly shell: string | undefined;
}

export interface AccountGroup {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

/** Programs that end a login at once. */
const NO_SHELL = /\/(?:nologin|false|sync)$/;

/** What a line says that is none of the file. */
type OnFault = (reason: string) => void;

/** The accounts of /etc/passwd, the first of each name. */
export async function readAccounts(files: HostFiles, onFault: OnFault): Promise<readonly Account[]> {
  const rows = await rowsOf(files, { path: '/etc/passwd', fields: 7 }, onFault);
  return rows.map(([name = '', , uid, gid, comment = '', home, shell]) => ({
    name,
    uid: Number(uid),
    gid: Number(gid),
    comment: comment.replace(/,+$/, '') || undefined,
    home: home === '' ? undefined : home,
    // An empty one is the shell of the system.
    shell: shell === '' ? '/bin/sh' : shell,
  }));
}

export async function readGroups(files: HostFiles, onFault: OnFault): Promise<readonly AccountGroup[]> {
  const rows = await rowsOf(files, { path: '/etc/group', fields: 4 }, onFault);
  return rows.map(([name = '', , gid, members = '']) => ({
    name,
    gid: Number(gid),
    members: members.split(',').filter((member) => member !== ''),
  }));
}

export function canLogIn({ shell = '' }: Account): boolean {
  return !NO_SHELL.test(shell);
}

/** Lines of fields, without comments and those of network directories (`+name`, `-name`). */
async function rowsOf(
  files: HostFiles,
  { path, fields }: { readonly path: string; readonly fields: number },
  onFault: OnFault,
): Promise<readonly (readonly string[])[]> {
  const byName = new Map<string, readonly string[]>();
  const lines = ((await files.database(path)) ?? '').split('\n');
  for (const [index, line] of lines.entries()) {
    if (/^\s*(?:[+#-]|$)/.test(line)) continue;
    const row = line.split(':');
    const [name = '', , id = ''] = row;
    if (row.length !== fields || name === '' || !/^\d{1,10}$/.test(id))
      onFault(`${path}: expected ${fields} fields with a name and a number in line ${index + 1}`);
    else if (!byName.has(name)) byName.set(name, row);
  }
  return [...byName.values()];
}
