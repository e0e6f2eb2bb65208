import { dirname, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { readTlsMaterial, type TlsMaterial } from '#load/protocol';
import { readDocument } from '#platform/config';
import { type Disk, DiskError } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { EDGE_SHAPE, type EdgeConfig } from './edge-config.ts';

/** Reads and checks edge.toml. Throws INVALID_CONFIG with all its faults, or why it cannot be read. */
export async function readEdgeFile(disk: Disk, file: string): Promise<EdgeConfig> {
  return readDocument(EDGE_SHAPE, parseToml(await readText(disk, file), file), file);
}

/** The files that `tls` names, beside edge.toml. Throws INVALID_CONFIG for one that cannot be read. */
export async function readTlsFiles(
  disk: Disk,
  file: string,
  { tls }: EdgeConfig,
): Promise<TlsMaterial | undefined> {
  if (tls === undefined) return undefined;
  const beside = (path: string): string => resolve(dirname(file), path);
  return readTlsMaterial(disk, { ca: beside(tls.ca), cert: beside(tls.cert), key: beside(tls.key) });
}

function parseToml(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.replace('Invalid TOML document: ', '').split('\n', 1);
    throw new DomainError('INVALID_CONFIG', `${file}:${error.line}:${error.column}: ${reason}`, {
      cause: error,
    });
  }
}

async function readText(disk: Disk, file: string): Promise<string> {
  try {
    return await disk.readText(file);
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    throw new DomainError('INVALID_CONFIG', `${file}: cannot be read: ${error.code}`, { cause: error });
  }
}
