import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { YamlDocument } from '#platform/config';
import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { ANY_TYPE } from '../run/step.ts';
import * as fields from './config-field.ts';
import { type ConnectorType, defineConnector } from './connector-type.ts';
import { type ConfiguredConnector, readConnector, type ReadOptions } from './read-connector.ts';

/**
 * The connectors configured by the `.yaml` and `.yml` files of a directory, by id. Throws INVALID_CONFIG for
 * the first error, including duplicate ids and an unreadable directory.
 */
export async function loadConnectors(
  disk: Disk,
  directory: string,
  options: ReadOptions,
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

/**
 * Connectors outside of the product: `connector: ./inventory.ts` names a module, relative to the file. It
 * exports a function that receives the SDK and returns a connector:
 *
 *     export const connector = ({ defineConnector, textField }) => defineConnector({ name: 'inventory', … });
 *
 * The module imports nothing of Plexus, and can be anywhere.
 */
interface ConnectorModule {
  readonly connector?: (sdk: object) => unknown;
}

/** The SDK that a connector module receives. */
function connectorSdk(): object {
  const { fileField, integerField, listField, optionalTextField, secretField, switchField } = fields;
  const { textField, wordField } = fields;
  return {
    ...{ defineConnector, fileField, integerField, listField, optionalTextField, secretField, switchField },
    ...{ textField, wordField, ANY_TYPE },
  };
}

/** Whether `connector:` names a module instead of a connector of the product. */
function isModulePath(name: unknown): name is string {
  return typeof name === 'string' && (/^\.{1,2}\//.test(name) || isAbsolute(name));
}

/**
 * The connector of the module named in a connector file; undefined if it names none. Throws INVALID_CONFIG
 * with the position if the module fails to load or returns something else.
 */
async function moduleConnector(text: string, file: string): Promise<ConnectorType | undefined> {
  const document = YamlDocument.parse(text, file);
  const name = nameIn(document.value);
  if (!isModulePath(name)) return undefined;
  const path = resolve(dirname(file), name);
  try {
    const module = (await import(pathToFileURL(path).href)) as ConnectorModule;
    const type = await module.connector?.(connectorSdk());
    if (isConnectorType(type)) return type;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw document.fault(['connector'], `cannot load the connector ${name}: ${why}`);
  }
  throw document.fault(
    ['connector'],
    `expected ${name} to export a connector: ({ defineConnector, … }) => defineConnector({ … })`,
  );
}

function nameIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'connector' in value ? value.connector : undefined;
}

function isConnectorType(value: unknown): value is ConnectorType {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'config' in value &&
    typeof value.config === 'object' &&
    'steps' in value &&
    typeof value.steps === 'function'
  );
}
