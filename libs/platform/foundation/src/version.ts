import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Of this release; a test holds it equal to the package's. */
export const VERSION = '0.1.0';

const PACKAGE = createRequire(import.meta.url).resolve('#package');

/** Where a file of this installation lies, wherever the code that asks was bundled to. */
export function installedPath(...parts: readonly string[]): string {
  return join(dirname(PACKAGE), ...parts);
}
