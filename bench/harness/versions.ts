import { readFileSync } from 'node:fs';

/** The version of a peer that this benchmark pins. */
export function versionOf(name: string): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return manifest.dependencies[name] ?? 'unknown version';
}
