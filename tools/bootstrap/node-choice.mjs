import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from './refusal.mjs';

const OLDEST = [22, 15];

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** The Node of the lock file, else the current one, if it is recent enough. */
export function chooseNode(root) {
  const own = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(own)) return own;
  if (isNewEnough(process.versions.node)) return process.execPath;
  throw new Refusal(
    `needs Node ${OLDEST.join('.')} or later, this is ${process.versions.node}, and the one that npm installs ` +
      'is missing: run `npm rebuild node`, or use a later Node',
  );
}
