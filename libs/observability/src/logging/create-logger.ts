import pino from 'pino';
import { pretty } from './pretty-stream.ts';

export type LogFormat = 'text' | 'json';
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** What libraries ask of a logger: constant message, facts as fields. pino's loggers fit. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  fatal(fields: object, message: string): void;
}

/** The whole logger, as the framework's bridge wants it. */
export type Logger = pino.Logger;

const STDERR = 2;
const REDACTED = ['authorization', '*.authorization', '*.*.authorization', '*.*.*.authorization'];

/** A logger to standard error. Lines are written at once, so that none is lost when the process ends. */
export function createLogger(options: { readonly format: LogFormat; readonly level: LogLevel }): Logger {
  const stream = options.format === 'json' ? pino.destination({ dest: STDERR, sync: true }) : pretty(STDERR);
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: REDACTED, censor: '[redacted]' },
      serializers: { err: pino.stdSerializers.err },
    },
    stream,
  );
}
