/**
 * `npm run bench -- <name> [options]`: installs the peers when they are missing, then runs one program of
 * this directory, or `all`. The figures do not affect the exit code: it is 0 unless something is broken. With
 * `--record` the output is written to docs/benchmarks.md, with the day and the commit.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recorded } from './harness/record.ts';

/** Programs with a graph: all their processes run in the environment that its launcher sets. */
const OF_GRAPH = [
  'graph',
  'lsqb',
  'cypher',
  'search',
  'http',
  'bulk',
  'eventloop',
  'fairness',
  'console',
  'grpc',
  'cluster',
  'history',
  'policy',
  'connector',
];
const PROGRAMS = [
  ...OF_GRAPH,
  'proxy',
  'soak',
  'signing',
  'sequencer',
  'telemetry',
  'edge',
  'load',
  'report',
  'edges',
  'kills',
];
/** Programs that search for faults for a given time, and have no figures. */
const NOT_OF_ALL = ['soak', 'kills'];
const GRAPH_ENVIRONMENT = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' };
const RECORD = '--record';
/** Other measurements of the same program. */
const MODES = ['--delay', '--size', '--programs'];
const here = import.meta.dirname;
const root = dirname(here);

const [name = '', ...rest] = process.argv.slice(2);
const options = rest.filter((option) => option !== RECORD);
const names = name === 'all' ? PROGRAMS.filter((program) => !NOT_OF_ALL.includes(program)) : [name];
if (!names.every((each) => PROGRAMS.includes(each))) {
  console.error(`usage: npm run bench -- all|${PROGRAMS.join('|')} [--quick] [--record] [--delay|--size] [--entities n] [--rounds n]
         [--seed n] [--round-ms n] [--targets a,b] [--dir path] [--seconds n] [--minutes n]
         [--programs n] [--rate n] [--before checkout]`);
  process.exit(2);
}
if (!arePeersCurrent()) {
  const { status } = spawnSync('npm', ['ci', '--no-fund', '--no-audit'], { cwd: here, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
for (const each of names) {
  const { code, printed } = await run(each);
  if (code === 0 && rest.includes(RECORD)) record(each, printed);
  if (code !== 0) process.exitCode = code;
}

function arePeersCurrent(): boolean {
  const installed = `${here}/node_modules/.package-lock.json`;
  return (
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${here}/package-lock.json`).mtimeMs
  );
}

/** Prints the output as it arrives, and returns it. */
async function run(program: string): Promise<{ readonly code: number; readonly printed: string }> {
  const child = spawn(process.execPath, [`${here}/${program}.ts`, ...options], {
    env: { ...process.env, ...(OF_GRAPH.includes(program) && GRAPH_ENVIRONMENT) },
    stdio: ['inherit', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    printed += text;
  });
  const code = await new Promise<number>((resolve) => {
    child.on('close', (status) => {
      resolve(status ?? 1);
    });
  });
  return { code, printed };
}

function record(program: string, printed: string): void {
  const path = join(root, 'docs', 'benchmarks.md');
  const text = recorded(readFileSync(path, 'utf8'), {
    name: [program, ...options.map(nameOf).filter((option) => MODES.includes(option))].join(' '),
    command: ['npm run bench --', program, ...options].join(' '),
    day: new Date().toISOString().slice(0, 10),
    commit: commit(),
    printed,
  });
  writeFileSync(path, text);
}

/** Of `--programs=50`: without the value. */
function nameOf(option: string): string {
  return option.replace(/=.*$/s, '');
}

/** Marked when the working tree differs from the commit. */
function commit(): string {
  const git = (...args: readonly string[]): string =>
    spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
  const isChanged = git('status', '--porcelain', '--', 'apps', 'libs', 'bench') !== '';
  return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ', changed' : ''}`;
}
