import { join } from 'node:path';
import { YamlDocument } from '#platform/config';
import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { StepLog } from '../run/step.ts';
import { isModulePath, loadModule } from './connector-module.ts';
import { type ConfiguredConnector, readConnector, type ReadOptions } from './read-connector.ts';

export interface LoadOptions extends ReadOptions {
  readonly log: StepLog;
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
  const files = await disk.list(directory).catch((cause: unknown) => {
    throw new DomainError('INVALID_CONFIG', `connectors: cannot read the directory ${directory}`, { cause });
  });
  const names = files.filter((name) => /\.ya?ml$/.test(name));
  const fileById = new Map<string, string>();
  const connectors: ConfiguredConnector[] = [];
  for (const name of names) {
    const file = join(directory, name);
    const text = await disk.readText(file);
    const named = nameIn(YamlDocument.parse(text, file).value);
    const module = isModulePath(named) ? await loadModule(named, { file, log: options.log }) : undefined;
    const connector = readConnector(text, file, { ...options, module });
    const other = fileById.get(connector.id);
    if (other !== undefined) {
      throw new DomainError('INVALID_CONFIG', `${file}: the id ${connector.id} is taken by ${other}`);
    }
    fileById.set(connector.id, file);
    connectors.push(connector);
  }
  return connectors.sort((a, b) => (a.id < b.id ? -1 : 1));
}

function nameIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'connector' in value ? value.connector : undefined;
}
