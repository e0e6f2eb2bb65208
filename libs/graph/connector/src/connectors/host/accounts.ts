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

/** The accounts of /etc/passwd, the first of each name. */
export async function readAccounts(files: HostFiles): Promise<readonly Account[]> {
  const rows = rowsIn((await files.database('/etc/passwd')) ?? '', 7);
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

export async function readGroups(files: HostFiles): Promise<readonly AccountGroup[]> {
  const rows = rowsIn((await files.database('/etc/group')) ?? '', 4);
  return rows.map(([name = '', , gid, members = '']) => ({
    name,
    gid: Number(gid),
    members: members.split(',').filter((member) => member !== ''),
  }));
}

export function canLogIn({ shell = '' }: Account): boolean {
  return !NO_SHELL.test(shell);
}

/** Lines of fields, without those of network directories (`+name`) and damaged ones. */
function rowsIn(text: string, fields: number): readonly (readonly string[])[] {
  const byName = new Map<string, readonly string[]>();
  for (const line of text.split('\n')) {
    const row = line.split(':');
    const [name = '', , id = ''] = row;
    const isRow = row.length === fields && /^[^+#-]/.test(name) && /^\d{1,10}$/.test(id);
    if (isRow && !byName.has(name)) byName.set(name, row);
  }
  return [...byName.values()];
}
