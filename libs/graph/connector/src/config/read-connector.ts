import {
  array,
  boolean,
  checked,
  nameHint,
  nullable,
  object,
  optional,
  readPlaced,
  refuse,
  required,
  type Shape,
  YamlDocument,
} from '#platform/config';
import { DomainError, type Secret } from '#platform/foundation';
import { type Mapping, parseMapping } from '../mapping/mapping.ts';
import { failureMessage } from '../run/report-text.ts';
import { planWaves } from '../run/plan-waves.ts';
import type { ReadyConnector } from '../run/step.ts';
import { configShape, switchField, words } from './config-field.ts';
import { type ConnectorSchedule, MANUAL, parseConnectorSchedule } from './connector-schedule.ts';
import type { LoadedModule } from './connector-module.ts';
import type { ConnectorType } from './connector-type.ts';

/** A configured connector. */
export interface ConfiguredConnector {
  readonly id: string;
  /** The file that configures it. */
  readonly file: string;
  readonly type: ConnectorType;
  readonly schedule: ConnectorSchedule;
  /** If two sources state one field, the value of the one with the higher priority counts. */
  readonly priority: number;
  readonly mappings: readonly Mapping[];
  /** Whether a run may find nothing where earlier ones found something. */
  readonly allowEmpty: boolean;
  /** Why it cannot run with a valid file: an unset variable, or its module. */
  readonly fault: string | undefined;
  /** New steps for a run. Throws INVALID_CONFIG if `fault` is set. */
  readonly prepare: () => ReadyConnector;
}

export interface ReadOptions {
  /** The connector of the module named by the file. */
  readonly module?: LoadedModule | undefined;
  readonly types: readonly ConnectorType[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const ID = /^[a-z0-9][a-z0-9._-]{0,127}$/;
/** Reserved ids: `api` owns the writes of REST; `runs` is a path. */
const RESERVED_IDS: readonly string[] = ['api', 'runs'];
const MAPPINGS_MAX = 1_000;
const TRANSFORMS_MAX = 10;
const NAME_LENGTH_MAX = 64;

/** Keys of every connector's `config`. */
export const COMMON_CONFIG = {
  allow_empty: switchField({
    about: 'accept that the source is empty, although earlier runs found something',
    fallback: false,
  }),
};

/** What is wrong with the id of a connector; undefined if nothing is. */
export function connectorIdFault(value: string): string | undefined {
  if (!ID.test(value)) return 'expected lower-case letters, digits, dots, dashes and underscores';
  return RESERVED_IDS.includes(value) ? `${value} is reserved` : undefined;
}

const id = checked(words, connectorIdFault);

const whole: Shape<number> = {
  expects: 'an integer',
  read: (value, at) => (Number.isSafeInteger(value) ? (value as number) : refuse(at, 'an integer')),
};

const table: Shape<object> = {
  expects: 'keys with values',
  read: (value, at) => (typeof value === 'object' && value !== null ? value : refuse(at, 'keys with values')),
};

const transforms = array(words, { min: 0, max: TRANSFORMS_MAX });

const mapping = object({
  verb: required(words, 'of the relationship'),
  from: required(words, 'the type of its one end'),
  to: required(words, 'the type of its other end'),
  on: required(words, 'which fields are equal: `from.email = to.name`'),
  ignore_case: optional(boolean(), 'whether texts that differ in case only are equal'),
  from_transform: optional(transforms, 'what is done with the text of `from` before it is compared'),
  to_transform: optional(transforms, 'the same for `to`'),
});

export const CONNECTOR_SHAPE = object({
  id: optional(nullable(id), "unique; else the file's name"),
  connector: required(words, 'what reads the source, or the path of a module'),
  config: optional(nullable(table), 'what the connector wants to know'),
  schedule: optional(nullable(words), '`manual`, `every:6h`, or `cron:0 2 * * *` in UTC'),
  priority: optional(nullable(whole), 'where two sources state one field, the higher wins'),
  mappings: optional(
    nullable(array(mapping, { min: 0, max: MAPPINGS_MAX })),
    'relationships to other sources',
  ),
});

/**
 * Reads `{connector, id?, config?, schedule?, priority?, mappings?}`; without an id it is the file's name.
 * Throws INVALID_CONFIG with `file:line:column` for an error, for an unknown key with the most similar known
 * one. An unset variable and a module that cannot be used are errors of the connector's runs only.
 */
export function readConnector(content: string, file: string, options: ReadOptions): ConfiguredConnector {
  const document = YamlDocument.parse(content, file);
  const written = document.read(CONNECTOR_SHAPE);
  const type = options.module?.type ?? namedType(document, written.connector, options.types);
  const { config, secrets, fault } = readConfig(document, written.config ?? {}, { ...options, file, type });
  const schedule = written.schedule ?? MANUAL.text;
  const fileName = file.slice(file.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '');
  const connectorId = written.id ?? document.read(id, ['id'], fileName);
  return {
    id: connectorId,
    file,
    type,
    schedule: readPlaced(
      () => parseConnectorSchedule(schedule),
      (message) => document.fault(['schedule'], message),
    ),
    priority: written.priority ?? 0,
    allowEmpty: config['allow_empty'] === true,
    mappings: (written.mappings ?? []).map((given, index) =>
      parseMapping(given, (name, message, at) =>
        document.fault(['mappings', index, name, ...(at === undefined ? [] : [at])], message),
      ),
    ),
    fault,
    prepare: () => {
      if (fault !== undefined) throw new DomainError('INVALID_CONFIG', fault);
      return { id: connectorId, steps: type.steps(config), config, secrets };
    },
  };
}

interface ConfigReading extends ReadOptions {
  readonly file: string;
  readonly type: ConnectorType;
}

interface ReadConfig extends Pick<ReadyConnector, 'secrets'>, Pick<ConfiguredConnector, 'fault'> {
  readonly config: Readonly<Record<string, unknown>>;
}

function readConfig(document: YamlDocument, written: object, reading: ConfigReading): ReadConfig {
  const { file, environment, type, module } = reading;
  const secrets: Secret[] = [];
  const unset: string[] = [];
  const surroundings = {
    file,
    environment,
    onSecret: (secret: Secret) => secrets.push(secret),
    onUnset: (message: string) => unset.push(message),
  };
  if (module?.fault !== undefined) return { config: {}, secrets, fault: module.fault };
  const config = document.read(
    configShape({ ...COMMON_CONFIG, ...type.config }, surroundings),
    ['config'],
    written,
  );
  const faults = [...unset];
  // A valid configuration may still give steps that cannot be planned.
  try {
    planWaves(type.steps(config));
  } catch (error) {
    const message = failureMessage(error, secrets);
    if (module === undefined) throw document.fault(['connector'], message);
    faults.push(`connector: ${message}`);
  }
  return { config, secrets, fault: faults.length === 0 ? undefined : faults.join('; ') };
}

function namedType(document: YamlDocument, name: string, types: readonly ConnectorType[]): ConnectorType {
  const type = types.find((each) => each.name === name);
  if (type !== undefined) return type;
  throw document.fault(['connector'], unknownConnector(name, types));
}

/** Says that there is no such connector, with the most similar name. */
export function unknownConnector(name: string, types: readonly ConnectorType[]): string {
  const names = types.map((each) => each.name);
  return `there is no connector "${name.slice(0, NAME_LENGTH_MAX)}": ${nameHint(name, names)}`;
}
