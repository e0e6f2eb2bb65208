/**
 * Connectors that are no part of the product: `connector: ./inventory.ts` names a module, relative to the
 * file. It exports a function that is given the SDK and gives a connector:
 *
 *     export const connector = ({ defineConnector, textField }) => defineConnector({ name: 'inventory', … });
 *
 * So the module imports nothing of Plexus, and lies wherever the file does.
 */
import { dirname, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { YamlDocument } from '#platform/config';
import { ANY_TYPE } from '../step/step.ts';
import * as fields from './config-field.ts';
import { type ConnectorType, defineConnector } from './connector-type.ts';

interface ConnectorModule {
  readonly connector?: (sdk: object) => unknown;
}

/** What a connector's module is given. */
function connectorSdk(): object {
  const { fileField, integerField, listField, optionalTextField, secretField, switchField } = fields;
  const { textField, wordField } = fields;
  return {
    ...{ defineConnector, fileField, integerField, listField, optionalTextField, secretField, switchField },
    ...{ textField, wordField, ANY_TYPE },
  };
}

/** Whether `connector:` names a module and no connector of the product. */
export function isModulePath(name: unknown): name is string {
  return typeof name === 'string' && (/^\.{1,2}\//.test(name) || isAbsolute(name));
}

/**
 * The connector of the module that a connector file names; undefined when it names none. Throws
 * INVALID_CONFIG at its place when the module cannot be loaded or gives something else.
 */
export async function moduleConnector(text: string, file: string): Promise<ConnectorType | undefined> {
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
