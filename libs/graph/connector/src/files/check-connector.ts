import { YamlDocument, type YamlFault, type YamlPath } from '#platform/config';
import { DomainError } from '#platform/foundation';
import { configShape } from '../config/config-field.ts';
import type { LoadedModule } from '../config/connector-module.ts';
import type { ConnectorType } from '../config/connector-type.ts';
import {
  COMMON_CONFIG,
  type ConfiguredConnector,
  CONNECTOR_SHAPE,
  readConnector,
  type ReadOptions,
  unknownConnector,
} from '../config/read-connector.ts';
import { literalSecrets, namedVariables, SECRET_EXPECTED } from './literal-secrets.ts';

/** A fault with its position, counted from 1; null where it concerns the whole file. */
export interface PlacedConnectorFault {
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

export interface ConnectorCheck {
  /** Undefined if there are faults. */
  readonly connector: ConfiguredConnector | undefined;
  readonly faults: readonly PlacedConnectorFault[];
  /** Why it could not run, though the file is valid: a variable that is not set. */
  readonly warnings: readonly PlacedConnectorFault[];
}

export interface CheckOptions extends ReadOptions {
  /** The path for which the file is meant; its own paths are relative to it. */
  readonly file: string;
  readonly module: LoadedModule | undefined;
  /** Variables that the file may not name. */
  readonly ownSecrets: readonly string[];
}

/** All faults of a connector file, each with its position; secrets that stand in it are among them. */
export function checkConnector(text: string, options: CheckOptions): ConnectorCheck {
  const { file } = options;
  try {
    const document = YamlDocument.parse(text, file);
    const faults = [
      ...literalSecrets(document, options.environment).map((path) =>
        faultAt(document, path, SECRET_EXPECTED),
      ),
      ...namedVariables(document, options.ownSecrets).map((path) => faultAt(document, path, OWN_SECRET)),
      ...document.faults(CONNECTOR_SHAPE),
      ...configFaults(document, options),
    ];
    if (faults.length > 0) return { connector: undefined, faults: inOrder(faults), warnings: [] };
    const connector = readConnector(text, file, options);
    const { fault } = connector;
    return {
      connector,
      faults: [],
      warnings: fault === undefined ? [] : fault.split('; ').map((message) => warningOf(document, message)),
    };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { connector: undefined, faults: [placedFault(error, file)], warnings: [] };
  }
}

/** The fault of a file without the name of the file. */
export function placedFault({ message, details }: DomainError, file: string): PlacedConnectorFault {
  const place = message.startsWith(file) ? message.slice(file.length) : undefined;
  const [line, column] = [details?.['line'], details?.['column']];
  return {
    line: typeof line === 'number' ? line : null,
    column: typeof column === 'number' ? column : null,
    message: place === undefined ? message : place.replace(/^(?::\d+){0,2}: /, ''),
  };
}

const OWN_SECRET = 'expected a variable of the source: this one is a secret of the service itself';

function faultAt(document: YamlDocument, path: YamlPath, message: string): YamlFault {
  return { ...document.placeOf(path), message: `${path.join('.')}: ${message}` };
}

/** The message begins with the path of the value. */
function warningOf(document: YamlDocument, message: string): PlacedConnectorFault {
  const path = message.slice(0, message.indexOf(':')).split('.');
  return { ...document.placeOf(path), message };
}

function configFaults(document: YamlDocument, options: CheckOptions): readonly YamlFault[] {
  const { value } = document;
  if (typeof value !== 'object' || value === null || !('connector' in value)) return [];
  const { connector: name } = value;
  if (typeof name !== 'string' || name === '') return [];
  const type = options.module?.type ?? options.types.find((each) => each.name === name);
  if (type === undefined) {
    return [{ ...document.placeOf(['connector']), message: unknownConnector(name, options.types) }];
  }
  const written = 'config' in value ? (value.config ?? {}) : {};
  return document.faults(shapeOf(type, options), ['config'], written);
}

function shapeOf(
  { config }: ConnectorType,
  { file, environment }: CheckOptions,
): ReturnType<typeof configShape> {
  const ignored = (): void => undefined;
  return configShape(
    { ...COMMON_CONFIG, ...config },
    { file, environment, onSecret: ignored, onUnset: ignored },
  );
}

/** In the order of the text; one for each place, where the first is the most useful. */
function inOrder(faults: readonly YamlFault[]): readonly YamlFault[] {
  const places = new Map<string, YamlFault>();
  for (const fault of faults) {
    const place = `${fault.line}:${fault.column}`;
    if (!places.has(place)) places.set(place, fault);
  }
  return [...places.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}
