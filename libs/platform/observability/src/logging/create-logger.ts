import pino from 'pino';
import { prettyFactory } from 'pino-pretty';
import { isatty } from 'node:tty';
import { standardErrorLog } from './standard-error-log.ts';

export type LogFormat = 'text' | 'json';
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LoggerOptions {
  readonly format: LogFormat;
  readonly level: LogLevel;
}

/** The logger that libraries use: constant message, facts as fields. pino's loggers implement it. */
export abstract class Log {
  abstract debug(fields: object, message: string): void;
  abstract info(fields: object, message: string): void;
  abstract warn(fields: object, message: string): void;
  abstract error(fields: object, message: string): void;
  abstract fatal(fields: object, message: string): void;
}

/** The whole logger, as required by the bridge to Nest. */
export type Logger = pino.Logger;

const STDERR = 2;
const REDACTED = ['authorization', '*.authorization', '*.*.authorization', '*.*.*.authorization'];

/**
 * A logger to standard error that never waits for the reader: unread lines are buffered up to a bound;
 * further lines are dropped and counted.
 */
export function createLogger({ format, level }: LoggerOptions): Logger {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: REDACTED, censor: '[redacted]' },
      serializers: { err: pino.stdSerializers.err },
    },
    { write: format === 'json' ? writeLine : writePretty() },
  );
  const sink = level === 'silent' ? undefined : standardErrorLog();
  if (sink !== undefined) {
    sink.onCaughtUp = (dropped) => logger.warn({ event: 'log.dropped', dropped }, 'log lines dropped');
  }
  return logger;
}

function writeLine(line: string): void {
  standardErrorLog().write(line);
}

/** Human-readable lines; in colour only on a terminal. */
function writePretty(): (line: string) => void {
  const pretty = prettyFactory({
    colorize: isatty(STDERR),
    translateTime: 'SYS:yyyy-mm-dd HH:MM:ss.l',
    ignore: 'pid,hostname,context',
    singleLine: true,
  });
  return (line) => writeLine(pretty(line));
}
