import { type Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { readJsonText } from './json-text.ts';
import { shownName } from './source-files.ts';

const MEBIBYTE = 1_048_576;
const FILE_MEBIBYTES_MAX = 256;

export interface SourceFile {
  readonly file: string;
  /** The path in the configuration: the file, its directory, or a pattern. */
  readonly source: string;
}

/** Reads a file that is in memory as a whole. A fault names the file. */
export async function readSourceFile<Content>(
  disk: Disk,
  { file, source }: SourceFile,
  read: (text: string) => Content | Promise<Content>,
): Promise<Content> {
  try {
    await checkSize(disk, file);
    return await read(await readJsonText(disk, file));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, details } = error;
    const message = `${shownName(file, source)}: ${error.message}`;
    throw new DomainError(code, message, { ...(details && { details }), cause: error });
  }
}

async function checkSize(disk: Disk, path: string): Promise<void> {
  const file = await disk.open(path, 'read');
  try {
    const bytes = await file.size();
    if (bytes > FILE_MEBIBYTES_MAX * MEBIBYTE)
      throw new DomainError(
        'INVALID_REQUEST',
        `expected at most ${FILE_MEBIBYTES_MAX} MiB, got ${bytes} bytes`,
      );
  } finally {
    await file.close();
  }
}
