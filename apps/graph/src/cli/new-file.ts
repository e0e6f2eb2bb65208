import { dirname } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';

/** Written under a temporary name until it is complete and synced; never overwrites an existing file. */
export async function writeNewFile(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const disk = new NodeDisk();
  const draft = `${path}.part`;
  await requireNew(disk, path);
  await requireNew(disk, draft);
  const file = await disk.open(draft, 'create');
  try {
    let at = 0;
    for await (const piece of pieces) {
      await file.write(piece, at);
      at += piece.length;
    }
    await file.sync();
  } catch (error) {
    await file.close();
    await disk.remove(draft);
    throw error;
  }
  await file.close();
  await disk.rename(draft, path);
  await disk.syncDirectory(dirname(path));
}

async function requireNew(disk: NodeDisk, path: string): Promise<void> {
  const isThere = await disk.open(path, 'read').then(
    async (file) => {
      await file.close();
      return true;
    },
    () => false,
  );
  if (isThere) throw new DomainError('CONFLICT', `expected a new file: ${path} is there`);
}
