import { StandardError } from '#platform/disk';
import { LogSink } from './log-sink.ts';

let opened: LogSink | undefined;

/** The process's log, opened on first use; a single instance, because the process has one standard error. */
export function standardErrorLog(): LogSink {
  opened ??= open();
  return opened;
}

/** Number of lost lines of this process. */
export function droppedLogLines(): number {
  return opened?.dropped ?? 0;
}

function open(): LogSink {
  const sink = new LogSink({ output: new StandardError() });
  process.on('exit', () => sink.flushSync());
  return sink;
}
