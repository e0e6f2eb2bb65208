import { StandardError } from '#platform/disk';
import { LogSink } from './log-sink.ts';

let opened: LogSink | undefined;

/** The process's log, opened when it is first asked for: one, because there is one standard error. */
export function standardErrorLog(): LogSink {
  opened ??= open();
  return opened;
}

/** Lines of this process that nobody will see. */
export function droppedLogLines(): number {
  return opened?.dropped ?? 0;
}

function open(): LogSink {
  const sink = new LogSink({ output: new StandardError() });
  process.on('exit', () => sink.flushSync());
  return sink;
}
