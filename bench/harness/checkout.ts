import { spawnSync } from 'node:child_process';

/** The commit of a checkout, abbreviated. */
export function commitOf(checkout: string): string {
  return spawnSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: checkout,
    encoding: 'utf8',
  }).stdout.trim();
}
