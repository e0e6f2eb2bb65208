import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const CHROOT = '/usr/sbin/chroot';
/** The user of the Containerfiles. */
const USER = 10_001;

/** Why the root cannot be changed here; undefined when it can. */
export function whyNoRoot(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may change the root of a program';
  return existsSync(CHROOT) ? undefined : `${CHROOT} is missing (Debian: apt-get install coreutils)`;
}

/**
 * A file system like an image's: an unpacked archive in /opt, the C and C++ run time, and a folder /data that
 * its user may write to; no shell, no /tmp, no /proc, no /etc.
 */
export class BareRoot {
  readonly folder: string;

  /** Built from the folder of an unpacked archive. */
  constructor(unpacked: string, product: string) {
    this.folder = dirname(unpacked);
    chmodSync(this.folder, 0o755);
    mkdirSync(join(this.folder, 'opt'));
    symlinkSync(join('..', basename(unpacked)), join(this.folder, 'opt', product));
    for (const library of librariesOf(join(unpacked, 'lib/node'))) {
      mkdirSync(join(this.folder, dirname(library)), { recursive: true });
      copyFileSync(library, join(this.folder, library));
    }
    const data = join(this.folder, 'data');
    mkdirSync(data);
    chownSync(data, USER, USER);
  }

  /** The command line that runs another one inside, as its user. */
  inside(words: readonly string[]): readonly string[] {
    return [CHROOT, `--userspec=${USER}:${USER}`, this.folder, ...words];
  }
}

/** Paths of the shared libraries of a program, including the loader. */
function librariesOf(program: string): readonly string[] {
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8' });
  return Array.from(stdout.matchAll(/(\/\S+) \(0x/g), ([, path = '']) => path);
}
