import { DomainError, nearestName } from '#platform/foundation';
import { type Setting, SettingFault } from './setting.ts';

export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

export type Settings<Table extends SettingTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer Value> ? Value : never;
};

export interface SettingSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Values by the name of the setting; undefined when the flag was not given. */
  readonly flags?: Readonly<Record<string, string | undefined>>;
  /**
   * Prefix of the program's variables. An unknown variable with the prefix is a fault only when it looks like
   * a typing error: others may belong to other programs, or be credentials named by a file.
   */
  readonly prefix: string;
}

/**
 * Reads a table of settings: flags first, then the environment, then defaults. Throws INVALID_CONFIG with
 * every fault in one message, by name and never by value. The result is frozen.
 */
export function parseSettings<Table extends SettingTable>(
  table: Table,
  sources: SettingSources,
): Settings<Table> {
  const faults = unknownNames(table, sources);
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(table)) {
    values[name] = readSetting(name, setting, sources, faults);
  }
  if (faults.length > 0) {
    throw new DomainError('INVALID_CONFIG', `invalid configuration: ${faults.join('; ')}`, {
      details: { faults },
    });
  }
  return Object.freeze(values) as Settings<Table>;
}

function readSetting(
  name: string,
  setting: Setting<unknown>,
  { environment, flags }: SettingSources,
  faults: string[],
): unknown {
  const flag = flags?.[name];
  const text = flag ?? environment[setting.env];
  if (text === undefined || (text === '' && flag === undefined)) return setting.fallback;
  try {
    return setting.parse(text);
  } catch (error) {
    if (!(error instanceof SettingFault)) throw error;
    faults.push(`${flag === undefined ? setting.env : `--${kebabCase(name)}`}: ${error.message}`);
    return undefined;
  }
}

function unknownNames(table: SettingTable, { environment, prefix }: SettingSources): string[] {
  const own = Object.values(table).filter(({ env }) => env.startsWith(prefix));
  const known = own.map(({ env }) => env.slice(prefix.length));
  return Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !known.includes(name.slice(prefix.length)))
    .sort()
    .flatMap((name) => {
      const nearest = nearestName(name.slice(prefix.length), known);
      return nearest === undefined ? [] : [`${name}: no such setting, did you mean ${prefix}${nearest}?`];
    });
}

/** `dataDir` as a flag: `data-dir`. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The current environment of the process. Call it once, in `main.ts`. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return { ...process.env };
}
