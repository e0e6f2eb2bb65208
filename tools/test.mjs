/**
 * All tests with a short round of what takes long, or those that are named, whole. The last line is
 * `N passed, N failed`.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runJest } from './check/jest.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
if (args.length === 0) process.env.PLEXUS_TEST_EFFORT ??= 'short';
const { passed, failed } = runJest(root, args);
if (process.env.PLEXUS_TEST_EFFORT === 'short') {
  console.log('short rounds of what takes long; npm run check runs all of it');
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
