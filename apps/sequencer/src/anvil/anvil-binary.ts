import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { isExecutable } from '#platform/disk';
import { DomainError } from '#platform/foundation';

const PACKAGE = '@foundry-rs/anvil-linux-amd64';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The path of anvil: ANVIL_BIN, else that of the optional package, else the first on the PATH. Throws
 * INVALID_CONFIG if there is none.
 */
export function findAnvil(environment: Environment, packaged = packagedAnvil()): string {
  const named = environment['ANVIL_BIN'];
  if (named !== undefined && named !== '') {
    if (isExecutable(named)) return named;
    throw new DomainError('INVALID_CONFIG', `ANVIL_BIN: expected a program, got ${named}`);
  }
  const found = [packaged, ...onPath(environment['PATH'] ?? '')].find(isExecutable);
  if (found !== undefined) return found;
  throw new DomainError(
    'INVALID_CONFIG',
    `anvil is neither in the optional package ${PACKAGE}, nor named by ANVIL_BIN, nor on the PATH; ` +
      '--mode sim works without it',
  );
}

/** Empty if the package is not installed. */
function packagedAnvil(): string {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`);
    return join(dirname(manifest), 'bin', 'anvil');
  } catch {
    return '';
  }
}

function onPath(path: string): string[] {
  return path
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, 'anvil'));
}
