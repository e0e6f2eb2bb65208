/**
 * Connectors outside of the product: `connector: ./inventory.ts` names a module, relative to the file. It
 * exports a function that receives the SDK and returns a connector:
 *
 *     export const connector = ({ defineConnector, textField }) => defineConnector({ name: 'inventory', … });
 *
 * The module imports nothing of Plexus, and can be anywhere. One that cannot be used fails alone.
 */
import { dirname, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OpenWork } from '../run/open-work.ts';
import { failureMessage } from '../run/report-text.ts';
import { sourceClient } from '../http/source-client.ts';
import { ANY_TYPE, type StepLog } from '../run/step.ts';
import { owningErrors } from '../run/stray-errors.ts';
import * as fields from './config-field.ts';
import { type ConnectorType, defineConnector } from './connector-type.ts';

/** The connector of a module; a connector without steps if the module cannot be used, with the fault. */
export interface LoadedModule {
  readonly type: ConnectorType;
  readonly fault?: string;
}

interface ConnectorExports {
  readonly connector?: (sdk: object) => unknown;
}

export interface ModuleContext {
  /** The connector file that names the module. */
  readonly file: string;
  /** Receives errors that the module causes after it was loaded. */
  readonly log: StepLog;
  /** Differs for another content of the module: Node loads an address once. */
  readonly revision?: string | undefined;
}

/** Whether `connector:` names a module instead of a connector of the product. */
export function isModulePath(name: unknown): name is string {
  return typeof name === 'string' && (/^\.{1,2}\//.test(name) || isAbsolute(name));
}

/** Never rejects because of the module. */
export async function loadModule(name: string, surroundings: ModuleContext): Promise<LoadedModule> {
  const directory = dirname(surroundings.file);
  try {
    const type = await imported(resolve(directory, name), surroundings);
    if (isConnectorType(type)) return { type };
  } catch (error) {
    // Of a missing file, Node also names the importing one, with its full path.
    const why = failureMessage(error, [])
      .replaceAll(directory, '.')
      .replaceAll(`?${surroundings.revision ?? ''}`, '')
      .replace(/ imported from .*/, '');
    return broken(name, `cannot load ${name}: ${why}`);
  }
  const expected = '({ defineConnector, … }) => defineConnector({ … })';
  return broken(name, `expected ${name} to export a connector: ${expected}`);
}

/**
 * What the module exports as its connector. An error that it leaves behind, such as a rejected promise of its
 * top level, rejects during the import and is logged later; it does not end the process.
 */
async function imported(path: string, { file, log, revision }: ModuleContext): Promise<unknown> {
  const stray = Promise.withResolvers<never>();
  stray.promise.catch(() => undefined);
  let isLoaded = false;
  const onError = (error: unknown): void => {
    if (!isLoaded) stray.reject(error);
    else {
      const fields = { event: 'connector.module_error', file, reason: failureMessage(error, []) };
      log.warn(fields, 'error of a connector module outside of its steps');
    }
  };
  const loading = owningErrors({ onError, open: new OpenWork() }, async () => {
    const address = pathToFileURL(path);
    if (revision !== undefined) address.search = revision;
    const module = (await import(address.href)) as ConnectorExports;
    const type = typeof module.connector === 'function' ? await module.connector(connectorSdk()) : undefined;
    // The errors of promises and callbacks that are due by then count.
    await new Promise((resolve) => setImmediate(resolve));
    return type;
  });
  try {
    return await Promise.race([loading, stray.promise]);
  } finally {
    isLoaded = true;
  }
}

function broken(name: string, fault: string): LoadedModule {
  const type = defineConnector({ name, about: 'cannot be loaded', config: {}, steps: () => [] });
  return { type, fault: `connector: ${fault}` };
}

/** The SDK that a connector module receives. */
function connectorSdk(): object {
  const { fileField, integerField, listField, optionalTextField, secretField, switchField } = fields;
  const { textField, wordField } = fields;
  return {
    defineConnector,
    fileField,
    integerField,
    listField,
    optionalTextField,
    secretField,
    switchField,
    textField,
    wordField,
    sourceClient,
    ANY_TYPE,
  };
}

function isConnectorType(value: unknown): value is ConnectorType {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'config' in value &&
    isConfigTable(value.config) &&
    'steps' in value &&
    typeof value.steps === 'function'
  );
}

function isConfigTable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every(
    (field: unknown) =>
      typeof field === 'object' && field !== null && 'shape' in field && typeof field.shape === 'function',
  );
}
