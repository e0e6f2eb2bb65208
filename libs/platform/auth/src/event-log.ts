/** The part of a log that this library writes to: the log itself builds on this library. */
export interface EventLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
