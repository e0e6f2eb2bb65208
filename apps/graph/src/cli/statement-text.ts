import { Option } from 'commander';
import { UsageError } from '#platform/cli';
import { openInputFile } from './input-file.ts';

/** More than any query may have, so that a wrong file is not read to its end. */
const BYTES_MAX = 1024 * 1024;

export interface StatementFlags {
  readonly file?: string;
}

export function fileOption(): Option {
  return new Option('-f, --file <file>', 'read it from a file; - is standard input');
}

/**
 * The query of a command: its argument, or the content of a file; `-` for either is standard input. Throws
 * UsageError unless there is exactly one, and for a file that is too large or not UTF-8.
 */
export async function statementText(given: string | undefined, { file }: StatementFlags): Promise<string> {
  if (given !== undefined && file !== undefined)
    throw new UsageError('expected a query or --file, and there are both');
  const from = file ?? (given === '-' ? given : undefined);
  if (from !== undefined) return contentOf(from);
  if (given === undefined) throw new UsageError('expected a query, - for standard input, or --file <file>');
  return given;
}

async function contentOf(path: string): Promise<string> {
  const chunks = path === '-' ? process.stdin : (await openInputFile(path)).chunks;
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes > BYTES_MAX) throw new UsageError(`${path}: expected a query of at most ${BYTES_MAX} bytes`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new UsageError(`${path}: expected UTF-8`);
  }
}
