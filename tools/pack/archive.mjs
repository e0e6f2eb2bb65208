import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SUMS = 'SHA256SUMS';
const [READABLE, EXECUTABLE] = [0o644, 0o755];

/** Paths of all files below, sorted. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();
}

/** Checksums of all files, in the format of `sha256sum -c`; file modes are set independently of the umask. */
export function writeSums(folder) {
  const lines = filesBelow(folder).map((path) => {
    const whole = join(folder, path);
    chmodSync(whole, /^(?:bin\/|lib\/node$)/.test(path) ? EXECUTABLE : READABLE);
    return `${createHash('sha256').update(readFileSync(whole)).digest('hex')}  ${path}`;
  });
  writeFileSync(join(folder, SUMS), `${lines.join('\n')}\n`);
  chmodSync(join(folder, SUMS), READABLE);
}

/** Packs a folder, with a gzip level; returns the total size of its files. */
export async function archive(work, title, path, level) {
  const order = [
    '--sort=name',
    '--mtime=@0',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=a+rX,go-w',
  ];
  const args = ['-C', work, ...order, '--format=gnu', '-I', `gzip -n -${level}`, '-cf', path, title];
  await promisify(execFile)('tar', args);
  const folder = join(work, title);
  return filesBelow(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}
