import { dirname, resolve } from 'node:path';
import {
  array,
  boolean,
  checked,
  type Field,
  integer,
  mapped,
  object,
  oneOf,
  orEmpty,
  record,
  type Shape,
  string,
  text,
} from '#platform/config';
import { Secret } from '#platform/foundation';

/** The context in which a value is read. */
export interface ConfigContext {
  /** The configuration file: its paths are relative to its directory. */
  readonly file: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called with every secret that is read. */
  readonly onSecret: (secret: Secret) => void;
  /** Called with every variable that the environment lacks, which is not an error of the file. */
  readonly onUnset: (message: string) => void;
}

/** One documented key of a connector's `config`. Required without a fallback. */
export interface ConfigField<T> {
  readonly about: string;
  readonly fallback?: T;
  readonly shape: (surroundings: ConfigContext) => Shape<T>;
}

export type ConfigTable = Readonly<Record<string, ConfigField<unknown>>>;

export type ConfigOf<Table extends ConfigTable> = {
  readonly [Name in keyof Table]: Table[Name] extends ConfigField<infer Value> ? Value : never;
};

interface FieldText<T> {
  readonly about: string;
  readonly fallback?: T;
}

const LIST_LENGTH_MAX = 10_000;

/** A text that is not empty. */
export const words = checked(text(), (value) =>
  value === '' ? 'expected a text, got an empty one' : undefined,
);

/** The shape of the file's `config` for this table. */
export function configShape(
  table: ConfigTable,
  surroundings: ConfigContext,
): Shape<Readonly<Record<string, unknown>>> {
  const fields = Object.entries(table).map(([name, field]) => [name, fieldOf(field, surroundings)] as const);
  const shape = object(Object.fromEntries(fields));
  // Missing keys are present with the value undefined.
  const nothing = Object.fromEntries(Object.keys(table).map((name) => [name, undefined]));
  return mapped(shape, (values) => Object.freeze({ ...nothing, ...values }));
}

function fieldOf(field: ConfigField<unknown>, surroundings: ConfigContext): Field<unknown> {
  const { about, fallback } = field;
  const shape = field.shape(surroundings);
  if (!('fallback' in field)) return { shape, about };
  const isOptional = fallback === undefined ? ({ isOptional: true } as const) : {};
  return orEmpty({ shape, about, fallback, ...isOptional });
}

export function textField(about: FieldText<string>): ConfigField<string> {
  return { ...about, shape: () => words };
}

/** One of several values. */
export function wordField<W extends string>(about: FieldText<W>, choices: readonly W[]): ConfigField<W> {
  return { ...about, shape: () => oneOf(choices) };
}

/** An optional text. */
export function optionalTextField(about: string): ConfigField<string | undefined> {
  return { about, fallback: undefined, shape: () => words };
}

/** A list of texts. */
export function listField(about: FieldText<readonly string[]>): ConfigField<readonly string[]> {
  return { ...about, shape: () => array(words, { min: 0, max: LIST_LENGTH_MAX }) };
}

/** A whole number from `min` to `max`, both included. */
export function integerField(about: FieldText<number>, min: number, max: number): ConfigField<number> {
  return { ...about, shape: () => integer({ min, max }) };
}

export function switchField(about: FieldText<boolean>): ConfigField<boolean> {
  return { ...about, shape: boolean };
}

/** A path, relative to the directory of the configuration. */
export function fileField(about: FieldText<string>): ConfigField<string> {
  return { ...about, shape: ({ file }) => mapped(words, (path) => resolve(dirname(file), path)) };
}

/** An optional path, relative to the directory of the configuration. */
export function optionalFileField(about: string): ConfigField<string | undefined> {
  return {
    about,
    fallback: undefined,
    shape: ({ file }) => mapped(words, (path) => resolve(dirname(file), path)),
  };
}

/**
 * The name of the environment variable that holds a secret; its key ends in `_env`. Undefined when left out.
 */
export function secretField(about: string): ConfigField<Secret | undefined> {
  return { about, fallback: undefined, shape: secretIn };
}

/** Headers of requests by name, each with the environment variable that holds its value. */
export function secretHeadersField(about: string): ConfigField<Readonly<Record<string, Secret | undefined>>> {
  const name = string('the name of a header', /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/);
  return { about, fallback: {}, shape: (surroundings) => record(name, secretIn(surroundings), { max: 20 }) };
}

function secretIn({ environment, onSecret, onUnset }: ConfigContext): Shape<Secret | undefined> {
  const name = string(
    'the name of an environment variable, not the secret itself',
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  );
  return {
    ...name,
    read: (value, at) => {
      const variable = name.read(value, at);
      const secret = variable === undefined ? undefined : environment[variable];
      if (secret !== undefined && secret !== '') return announced(new Secret(secret), onSecret);
      if (variable !== undefined)
        onUnset(`${at.path.join('.')}: the environment variable ${shownVariable(variable)}is not set`);
      return undefined;
    },
  };
}

/** How variables are named by convention. What is written otherwise may be a secret in the wrong place. */
export const VARIABLE_NAME = /^[A-Z_][A-Z0-9_]{0,127}$/;

function shownVariable(name: string): string {
  return VARIABLE_NAME.test(name) ? `${name} ` : 'that it names ';
}

function announced(secret: Secret, onSecret: (secret: Secret) => void): Secret {
  onSecret(secret);
  return secret;
}
