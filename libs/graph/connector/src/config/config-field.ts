import { dirname, resolve } from 'node:path';
import { kindOf } from '#graph/model';
import { SettingFault } from '#platform/config';
import { Secret } from '#platform/foundation';

/** What a configuration names and its surroundings lack: no fault of the file. */
export class UnsetVariable extends SettingFault {}

/** Where a value is read from. */
export interface ConfigSurroundings {
  /** The configuration's file: paths in it are relative to its directory. */
  readonly file: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Told of every secret that is read. */
  readonly onSecret: (secret: Secret) => void;
}

/** One documented key of a connector's `config`. Without a fallback it has to be there. */
export interface ConfigField<T> {
  readonly about: string;
  readonly fallback?: T;
  /** Throws {@link SettingFault} for a value that is none; never with the value. */
  readonly parse: (value: unknown, surroundings: ConfigSurroundings) => T;
}

export type ConfigTable = Readonly<Record<string, ConfigField<unknown>>>;

export type ConfigOf<Table extends ConfigTable> = {
  readonly [Name in keyof Table]: Table[Name] extends ConfigField<infer Value> ? Value : never;
};

interface FieldText<T> {
  readonly about: string;
  readonly fallback?: T;
}

export function textField(text: FieldText<string>): ConfigField<string> {
  return { ...text, parse: textOf };
}

/** One of a few words. */
export function wordField<W extends string>(text: FieldText<W>, words: readonly W[]): ConfigField<W> {
  return {
    ...text,
    parse: (value) => {
      const said = textOf(value);
      const word = words.find((candidate) => candidate === said);
      if (word !== undefined) return word;
      throw new SettingFault(`expected ${words.join(' or ')}, got "${said}"`);
    },
  };
}

/** A text that may be left out. */
export function optionalTextField(about: string): ConfigField<string | undefined> {
  return { about, fallback: undefined, parse: textOf };
}

/** A list of texts. */
export function listField(text: FieldText<readonly string[]>): ConfigField<readonly string[]> {
  return {
    ...text,
    parse: (value) => {
      if (!Array.isArray(value)) throw new SettingFault(`expected a list, got ${kindOf(value)}`);
      return value.map(textOf);
    },
  };
}

/** A whole number from `min` to `max`, both included. */
export function integerField(text: FieldText<number>, min: number, max: number): ConfigField<number> {
  return {
    ...text,
    parse: (value) => {
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max)
        return value;
      throw new SettingFault(`expected a whole number from ${min} to ${max}, got ${kindOf(value)}`);
    },
  };
}

export function switchField(text: FieldText<boolean>): ConfigField<boolean> {
  return {
    ...text,
    parse: (value) => {
      if (typeof value === 'boolean') return value;
      throw new SettingFault(`expected true or false, got ${kindOf(value)}`);
    },
  };
}

/** A path, relative to the directory of the configuration. */
export function fileField(text: FieldText<string>): ConfigField<string> {
  return { ...text, parse: (value, { file }) => resolve(dirname(file), textOf(value)) };
}

/**
 * The name of the environment variable that holds a secret; its key ends in `_env`. Undefined when left out.
 */
export function secretField(about: string): ConfigField<Secret | undefined> {
  return {
    about,
    fallback: undefined,
    parse: (value, { environment, onSecret }) => {
      const name = textOf(value);
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
        throw new SettingFault('expected the name of an environment variable, not the secret itself');
      }
      const text = environment[name];
      if (text === undefined || text === '')
        throw new UnsetVariable(`the environment variable ${name} is not set`);
      const secret = new Secret(text);
      onSecret(secret);
      return secret;
    },
  };
}

function textOf(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new SettingFault(`expected a text, got ${value === '' ? 'an empty one' : kindOf(value)}`);
}
