import { join } from 'node:path';
import type { Disk } from './disk.port.ts';

/**
 * Names of the files of a directory, sorted, with the links that lead to no folder: a mounted ConfigMap has
 * links only. One that leads nowhere is a file that cannot be read; hidden links are left out, as those of
 * editors lead nowhere. Rejects with `DiskError`.
 */
export async function filesAndLinks(disk: Disk, directory: string): Promise<readonly string[]> {
  const names = [...(await disk.list(directory))];
  for (const name of (await disk.links(directory)).keys()) {
    if (name.startsWith('.')) continue;
    try {
      await disk.list(join(directory, name));
    } catch {
      names.push(name);
    }
  }
  return names.sort();
}
