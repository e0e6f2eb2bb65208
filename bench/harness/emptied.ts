import { mkdirSync, rmSync } from 'node:fs';

/** The directory, made anew with nothing in it. */
export function emptied(directory: string): string {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  return directory;
}
