import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { YamlDocument } from '#platform/config';
import { type Disk, DiskError, filesAndLinks } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { StepLog } from '../run/step.ts';
import { isModulePath, type LoadedModule, loadModule } from './connector-module.ts';
import { type ConfiguredConnector, readConnector, type ReadOptions } from './read-connector.ts';

export interface LoadOptions extends ReadOptions {
  readonly log: StepLog;
}

/** Whether a file of the directory configures a connector. */
export function isConnectorFile(name: string): boolean {
  return /\.ya?ml$/.test(name);
}

/**
 * The connectors configured by the `.yaml` and `.yml` files of a directory, by id. Throws INVALID_CONFIG for
 * the first error, including duplicate ids and an unreadable directory; a module that cannot be used is a
 * fault of its connector only.
 */
export async function loadConnectors(
  disk: Disk,
  directory: string,
  options: LoadOptions,
): Promise<readonly ConfiguredConnector[]> {
  const files = await filesAndLinks(disk, directory).catch((cause: unknown) => {
    throw new DomainError('INVALID_CONFIG', `connectors: cannot read the directory ${directory}`, { cause });
  });
  const names = files.filter(isConnectorFile);
  const fileById = new Map<string, string>();
  const connectors: ConfiguredConnector[] = [];
  for (const name of names) {
    const file = join(directory, name);
    const connector = await connectorOf(await disk.readText(file), file, options);
    const other = fileById.get(connector.id);
    if (other !== undefined) {
      throw new DomainError('INVALID_CONFIG', `${file}: the id ${connector.id} is taken by ${other}`);
    }
    fileById.set(connector.id, file);
    connectors.push(connector);
  }
  return connectors.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The connector of a file with this content. Throws INVALID_CONFIG. */
export async function connectorOf(
  text: string,
  file: string,
  options: LoadOptions,
): Promise<ConfiguredConnector> {
  return readConnector(text, file, { ...options, module: await moduleOf(text, file, options) });
}

/** The same for a file that is read again: a module is loaded anew if it has changed. */
export async function connectorAgain(
  text: string,
  { file, disk }: { readonly file: string; readonly disk: Disk },
  options: LoadOptions,
): Promise<ConfiguredConnector> {
  const named = moduleNameIn(text, file);
  const revision = named === undefined ? undefined : await digestOf(disk, resolve(dirname(file), named));
  return readConnector(text, file, { ...options, module: await moduleOf(text, file, options, revision) });
}

/** The module that a connector file names. Throws INVALID_CONFIG for invalid YAML. */
export function moduleNameIn(text: string, file: string): string | undefined {
  const named = nameIn(YamlDocument.parse(text, file).value);
  return isModulePath(named) ? named : undefined;
}

async function moduleOf(
  text: string,
  file: string,
  { log }: LoadOptions,
  revision?: string,
): Promise<LoadedModule | undefined> {
  const named = moduleNameIn(text, file);
  return named === undefined ? undefined : loadModule(named, { file, log, revision });
}

/** Undefined for a file that cannot be read: then the import says why. */
async function digestOf(disk: Disk, path: string): Promise<string | undefined> {
  const bytes = await disk.readBytes(path).catch((error: unknown) => {
    if (error instanceof DiskError) return undefined;
    throw error;
  });
  return bytes && createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

function nameIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'connector' in value ? value.connector : undefined;
}
