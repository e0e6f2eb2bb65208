import { mkdirSync, rmSync } from 'node:fs';

/** The directory, recreated empty. */
export function emptied(directory: string): string {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  return directory;
}
