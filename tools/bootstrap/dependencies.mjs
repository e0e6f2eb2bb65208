import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { command } from './command.mjs';

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages ?? {};
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Packages for other platforms are only in the lock file. */
const mayBeAbsent = (entry) => entry.optional || entry.devOptional;

/**
 * Whether node_modules matches package-lock.json. npm writes its own record as the last step of an install,
 * so that a manual install is accepted too, and an interrupted one is not.
 */
export function areDependenciesCurrent(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === undefined || installed === undefined) return false;
  const isInstalled = ([path, entry]) =>
    path === '' || installed[path]?.version === entry.version || (!installed[path] && mayBeAbsent(entry));
  const isWanted = (path) => wanted[path] !== undefined;
  return Object.entries(wanted).every(isInstalled) && Object.keys(installed).every(isWanted);
}

/** npm replaces node_modules, so it must not run by a Node inside it. */
function outsidePath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
}

export async function installDependencies(root, say) {
  say('installing dependencies (npm ci) …');
  const env = { ...process.env, PATH: outsidePath() };
  await command('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, env });
}
