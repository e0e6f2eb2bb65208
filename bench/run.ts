/**
 * `npm run bench -- <name> [options]`: installs the peers when they are missing, then runs one program of
 * this directory. What it measures decides nothing: it exits 0 unless something is broken.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const PROGRAMS = [
  'graph',
  'http',
  'eventloop',
  'fairness',
  'console',
  'grpc',
  'cluster',
  'policy',
  'connector',
  'proxy',
  'soak',
  'signing',
  'sequencer',
  'telemetry',
  'edge',
  'report',
  'edges',
  'kills',
];
const here = import.meta.dirname;

const [name = '', ...options] = process.argv.slice(2);
if (!PROGRAMS.includes(name)) {
  console.error(`usage: npm run bench -- ${PROGRAMS.join('|')} [--quick] [--entities n] [--rounds n] [--seed n]
         [--round-ms n] [--targets a,b] [--dir path] [--seconds n] [--minutes n]`);
  process.exit(2);
}
if (!arePeersCurrent()) run('npm', ['ci', '--no-fund', '--no-audit'], here);
run(process.execPath, [`${here}/${name}.ts`, ...options], process.cwd());

function arePeersCurrent(): boolean {
  const installed = `${here}/node_modules/.package-lock.json`;
  return (
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${here}/package-lock.json`).mtimeMs
  );
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
