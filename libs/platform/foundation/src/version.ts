import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The version of this release; a test compares it with package.json. */
export const VERSION = '0.1.0';

const PACKAGE = createRequire(import.meta.url).resolve('#package');

/** Path of a file of this installation, also from a bundled file. */
export function installedPath(...parts: readonly string[]): string {
  return join(dirname(PACKAGE), ...parts);
}
