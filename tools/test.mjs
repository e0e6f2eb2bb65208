/**
 * All tests except those of pages in a browser and of endurance, with short rounds of long tests; or the
 * named tests, complete. The last line is `N passed, N failed`.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runJest } from './check/jest.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const named = process.argv.slice(2);
if (named.length === 0) process.env.PLEXUS_TEST_EFFORT ??= 'short';
const args = named.length === 0 ? ['--selectProjects', 'unit', 'laws', 'apps'] : named;
const { passed, failed } = runJest(root, args);
if (process.env.PLEXUS_TEST_EFFORT === 'short') {
  console.log('short rounds, without the tests of pages and of endurance; npm run check runs all of it');
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
