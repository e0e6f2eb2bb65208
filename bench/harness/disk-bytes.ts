import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The size of all files below a directory. */
export function diskBytes(directory: string): number {
  let bytes = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return bytes;
}
