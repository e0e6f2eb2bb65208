/**
 * Public conformance suites, run against the built programs: `npm run suites [-- name …]`.
 *
 * Each file of `tools/suites/` is one suite and exports
 * - `source`: its name, origin and licence (one line);
 * - `run()`: `{passed, failed, skipped?, notes?}`; `notes` are lines to print, such as the reason of a
 *   skipped
 *   suite.
 *
 * The npm packages of suites are in `tools/suites/package.json`, which only this program installs. The last
 * line is `N passed, N failed, N skipped`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'suites');

function suiteNames() {
  const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  return files.map((name) => basename(name, '.mjs')).sort();
}

function installPackages() {
  if (!existsSync(join(folder, 'package-lock.json')) || existsSync(join(folder, 'node_modules'))) return;
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--prefix', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`npm ci failed in tools/suites with exit status ${String(status)}`);
}

async function runSuite(name) {
  const suite = await import(`./suites/${name}.mjs`);
  try {
    return { source: suite.source, skipped: 0, notes: [], ...(await suite.run()) };
  } catch (error) {
    return { source: suite.source, passed: 0, failed: 1, skipped: 0, notes: [error.stack] };
  }
}

function print(name, { source, passed, failed, skipped, notes }) {
  console.log(
    `${failed === 0 ? 'ok    ' : 'FAILED'} ${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`,
  );
  console.log(`       ${source}`);
  for (const note of notes) console.log(`       ${note}`);
}

const known = suiteNames();
const wanted = process.argv.length > 2 ? process.argv.slice(2) : known;
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`unknown suite ${unknown.join(', ')}; known are ${known.join(', ')}`);
  process.exit(2);
}

installPackages();
const total = { passed: 0, failed: 0, skipped: 0 };
for (const name of wanted) {
  const result = await runSuite(name);
  print(name, result);
  for (const count of Object.keys(total)) total[count] += result[count];
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 ? 0 : 1;
