import { basename, join, matchesGlob, relative, sep } from 'node:path';
import { type Disk, DiskError, filesAndLinks, isMissingFile } from '#platform/disk';
import { DomainError } from '#platform/foundation';

const FILES_MAX = 10_000;
const DEPTH_MAX = 32;
const WILDCARD = /[*?[{]/;

/** The files of a source. */
export interface SourceFiles {
  readonly files: readonly string[];
  /** Whether they are all files of a directory, which may have others than those of the source. */
  readonly areOfDirectory: boolean;
}

/**
 * The files of a source, sorted: the file itself, all files of a directory and below it, or those that match
 * a pattern with `*`, `?`, `{a,b}` and `**`. Names that begin with a dot are left out; links to files are
 * files, links to folders are not followed. Throws NOT_FOUND for none, and INVALID_REQUEST for more than
 * `filesMax`.
 */
export async function sourceFiles(
  disk: Disk,
  path: string,
  { filesMax = FILES_MAX }: { readonly filesMax?: number } = {},
): Promise<SourceFiles> {
  const areOfDirectory = !WILDCARD.test(path);
  if (await isFile(disk, path, areOfDirectory)) return { files: [path], areOfDirectory: false };
  const files = areOfDirectory
    ? await filesBelow(disk, path, filesMax)
    : await matchingFiles(disk, path, filesMax);
  if (files.length > 0) return { files, areOfDirectory };
  throw new DomainError('NOT_FOUND', `there is no file ${basename(path)}`);
}

/** The name of a file in messages: below the directory, or the first part with a wildcard, of the source. */
export function shownName(file: string, source: string): string {
  return file === source ? basename(file) : relative(baseOf(source), file);
}

/** Throws if it must exist and does not. */
async function isFile(disk: Disk, path: string, mustExist: boolean): Promise<boolean> {
  try {
    await (await disk.open(path, 'read')).close();
  } catch (error) {
    if (!mustExist && isMissingFile(error)) return false;
    throw error;
  }
  try {
    // A directory can be opened as well.
    await disk.list(path);
    return false;
  } catch (error) {
    if (error instanceof DiskError && error.code === 'ENOTDIR') return true;
    throw error;
  }
}

/** The path before the first part with a wildcard; the path itself without one. */
function baseOf(pattern: string): string {
  const parts = pattern.split(sep);
  const first = parts.findIndex((part) => WILDCARD.test(part));
  return first < 0 ? pattern : parts.slice(0, first).join(sep) || sep;
}

async function matchingFiles(disk: Disk, pattern: string, filesMax: number): Promise<readonly string[]> {
  const base = baseOf(pattern);
  const files = await filesBelow(disk, base, filesMax);
  const rest = relative(base, pattern);
  return files.filter((file) => matchesGlob(relative(base, file), rest));
}

async function filesBelow(disk: Disk, base: string, filesMax: number): Promise<readonly string[]> {
  const files: string[] = [];
  const open = [{ folder: base, depth: 0 }];
  for (let each = open.shift(); each !== undefined; each = open.shift()) {
    const { folder, depth } = each;
    const visible = (name: string): boolean => !name.startsWith('.');
    for (const name of (await filesAndLinks(disk, folder)).filter(visible)) files.push(join(folder, name));
    if (files.length > filesMax)
      throw new DomainError('INVALID_REQUEST', `expected at most ${filesMax} files in ${basename(base)}`);
    const folders = (await disk.listDirectories(folder)).filter(visible);
    if (depth >= DEPTH_MAX && folders.length > 0)
      throw new DomainError(
        'INVALID_REQUEST',
        `expected at most ${DEPTH_MAX} levels of folders in ${basename(base)}`,
      );
    for (const name of folders) open.push({ folder: join(folder, name), depth: depth + 1 });
  }
  return files.sort();
}
