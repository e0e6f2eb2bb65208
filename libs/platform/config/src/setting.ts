import { Secret } from '#platform/foundation';

/** One documented value of a program's configuration. */
export interface Setting<T> {
  /** Name of the environment variable. */
  readonly env: string;
  /** Description for help and documentation. */
  readonly about: string;
  readonly fallback: T;
  /** The default as it is written, for help and documentation; undefined where there is none. */
  readonly fallbackText?: string | undefined;
  /** Whether its value is never shown. */
  readonly isSecret?: true;
  /** Throws {@link SettingFault} for an invalid text. */
  readonly parse: (text: string) => T;
}

/** States the expected value. Never quotes the actual one: it may be a secret under the wrong name. */
export class SettingFault extends Error {
  override readonly name = 'SettingFault';
}

const HOST = /^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252})|\[[0-9A-Fa-f:.]+\])$/;

interface SettingText<T> {
  readonly env: string;
  readonly about: string;
  readonly fallback: T;
}

/**
 * Any text, unchanged. An empty one, from a flag whose shell variable is unset, is rejected where the default
 * is not empty: an empty host would be every address of the machine.
 */
export function stringSetting(text: SettingText<string>): Setting<string> {
  return {
    ...text,
    fallbackText: text.fallback === '' ? undefined : text.fallback,
    parse: (value) => {
      if (value === '' && text.fallback !== '') throw new SettingFault('expected a value');
      return value;
    },
  };
}

/** One of a few literals. */
export function enumSetting<W extends string>(text: SettingText<W>, words: readonly W[]): Setting<W> {
  return {
    ...text,
    fallbackText: text.fallback,
    parse: (value) => {
      const word = words.find((candidate) => candidate === value.toLowerCase());
      if (word === undefined) throw new SettingFault(`expected ${words.join(' or ')}`);
      return word;
    },
  };
}

/** A setting whose value is `on` or `off`. */
export function booleanSetting(text: SettingText<boolean>): Setting<boolean> {
  const { parse } = enumSetting({ ...text, fallback: 'off' }, ['on', 'off']);
  return { ...text, fallbackText: text.fallback ? 'on' : 'off', parse: (value) => parse(value) === 'on' };
}

/** Host names or addresses, without ports, separated by commas. */
export function hostsSetting(text: SettingText<readonly string[]>): Setting<readonly string[]> {
  return {
    ...text,
    parse: (value) => {
      const hosts = value.split(',').map((host) => host.trim());
      if (hosts.every((host) => HOST.test(host))) return hosts;
      throw new SettingFault('expected names of hosts without ports, separated by commas');
    },
  };
}

/** A whole number from `min` to `max`, both included. */
export function integerSetting(text: SettingText<number>, min: number, max: number): Setting<number> {
  return {
    ...text,
    fallbackText: String(text.fallback),
    parse: (value) => {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
      if (!(number >= min && number <= max)) {
        throw new SettingFault(`expected a whole number from ${String(min)} to ${String(max)}`);
      }
      return number;
    },
  };
}

/** Like the given setting, but undefined when it is not set. */
export function withoutDefault<T>(setting: Setting<T>): Setting<T | undefined> {
  return { ...setting, fallback: undefined, fallbackText: undefined };
}

/** A number with a unit, such as `30s` or `16MiB`, of at least one of the smallest unit. */
function unitSetting(
  text: SettingText<number>,
  units: Readonly<Record<string, number>>,
  example: string,
): Setting<number> {
  const pattern = new RegExp(`^(\\d{1,9})(${Object.keys(units).join('|')})$`);
  return {
    ...text,
    fallbackText: unitText(text.fallback, units),
    parse: (value) => {
      const [, digits = '', unit = ''] = pattern.exec(value) ?? [];
      const number = Number(digits) * (units[unit] ?? 0);
      if (number < 1) throw new SettingFault(`expected a number with a unit, such as ${example}`);
      return number;
    },
  };
}

/** A number in its largest unit without a fraction: `30s`. */
function unitText(number: number, units: Readonly<Record<string, number>>): string {
  if (number === 0) return '0';
  const fitting = Object.entries(units).findLast(([, size]) => number % size === 0);
  return fitting === undefined ? String(number) : `${number / fitting[1]}${fitting[0]}`;
}

const MS_BY_UNIT = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const BYTES_BY_UNIT = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** A span of time in milliseconds, written `500ms`, `30s`, `5m`, `24h` or `30d`. */
export function durationSetting(text: SettingText<number>): Setting<number> {
  return unitSetting(text, MS_BY_UNIT, '500ms, 30s or 30d');
}

/** Like the given setting of a number, and 0 for `off`. */
export function orOff(setting: Setting<number>): Setting<number> {
  return { ...setting, parse: (value) => (value.toLowerCase() === 'off' ? 0 : setting.parse(value)) };
}

/** A size in bytes, written `512KiB`, `16MiB` or `1GiB`. */
export function sizeSetting(text: SettingText<number>): Setting<number> {
  return unitSetting(text, BYTES_BY_UNIT, '512KiB or 16MiB');
}

/** The characters that an `Authorization` header can carry as a token. */
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * A text that is never printed; undefined when not set. It has no flag, because `ps` shows flags. A text that
 * no `Authorization` header can carry is rejected: no client could authenticate.
 */
export function secretSetting(text: {
  readonly env: string;
  readonly about: string;
}): Setting<Secret | undefined> {
  return {
    ...text,
    fallback: undefined,
    isSecret: true,
    parse: (value) => {
      if (!TOKEN.test(value)) throw new SettingFault('expected visible ASCII characters without blanks');
      return new Secret(value);
    },
  };
}

const FORMATS = ['text', 'json'] as const;
const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export interface LogSettings {
  readonly logFormat: Setting<(typeof FORMATS)[number]>;
  readonly logLevel: Setting<(typeof LEVELS)[number]>;
}

/** The log settings that every program has. */
interface AuditSettings {
  readonly audit: Setting<string>;
  readonly auditBestEffort: Setting<boolean>;
}

/** Settings of the audit trail of a program. */
export function auditSettings(prefix: string): AuditSettings {
  return {
    audit: stringSetting({
      env: `${prefix}AUDIT`,
      about: 'file of the audit trail: every change and refusal as a line of JSON; - is standard output',
      fallback: '',
    }),
    auditBestEffort: booleanSetting({
      env: `${prefix}AUDIT_BEST_EFFORT`,
      about: 'on: changes are made though the audit trail cannot be written',
      fallback: false,
    }),
  };
}

export function logSettings(prefix: string): LogSettings {
  return {
    logFormat: enumSetting(
      { env: `${prefix}LOG_FORMAT`, about: 'format of log lines', fallback: 'text' },
      FORMATS,
    ),
    logLevel: enumSetting(
      { env: `${prefix}LOG_LEVEL`, about: 'minimum level that is logged', fallback: 'info' },
      LEVELS,
    ),
  };
}
