import { type Setting, enumSetting } from './setting.ts';

const FORMATS = ['text', 'json'] as const;
const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export interface LogSettings {
  readonly logFormat: Setting<(typeof FORMATS)[number]>;
  readonly logLevel: Setting<(typeof LEVELS)[number]>;
}

/** The settings of a program's log, which every program has. */
export function logSettings(prefix: string): LogSettings {
  return {
    logFormat: enumSetting(
      { env: `${prefix}LOG_FORMAT`, about: 'form of log lines', fallback: 'text' },
      FORMATS,
    ),
    logLevel: enumSetting(
      { env: `${prefix}LOG_LEVEL`, about: 'least level that is logged', fallback: 'info' },
      LEVELS,
    ),
  };
}
