import { join } from 'node:path';
import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { moduleConnector } from './module-connector.ts';
import { type ConfiguredConnector, readConnector, type ReadOptions } from './read-connector.ts';

/**
 * The connectors that the `.yaml` and `.yml` files of a directory configure, by id. Throws INVALID_CONFIG for
 * the first fault, two files of one id among them, and DiskError when the directory cannot be read.
 */
export async function loadConnectors(
  disk: Disk,
  directory: string,
  options: ReadOptions,
): Promise<readonly ConfiguredConnector[]> {
  const names = (await disk.list(directory)).filter((name) => /\.ya?ml$/.test(name));
  const fileById = new Map<string, string>();
  const connectors: ConfiguredConnector[] = [];
  for (const name of names) {
    const file = join(directory, name);
    const text = await disk.readText(file);
    const module = await moduleConnector(text, file);
    const connector = readConnector(text, file, { ...options, ...(module && { module }) });
    const other = fileById.get(connector.id);
    if (other !== undefined) {
      throw new DomainError('INVALID_CONFIG', `${file}: the id ${connector.id} is taken by ${other}`);
    }
    fileById.set(connector.id, file);
    connectors.push(connector);
  }
  return connectors.sort((a, b) => (a.id < b.id ? -1 : 1));
}
