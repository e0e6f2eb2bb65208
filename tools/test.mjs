/** All tests, or those whose paths match the arguments. The last line is `N passed, N failed`. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runJest } from './check/jest.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { passed, failed } = runJest(root, process.argv.slice(2));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
