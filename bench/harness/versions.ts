import { readFileSync } from 'node:fs';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** The version of a peer that this benchmark pins. */
export function versionOf(name: string): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { dependencies, optionalDependencies } = JSON.parse(text) as Manifest;
  return dependencies[name] ?? optionalDependencies[name] ?? 'unknown version';
}
