import type { DestinationStream } from 'pino';
import pinoPretty from 'pino-pretty';
import { isatty } from 'node:tty';

/** Lines for people; in colour only on a terminal. */
export function pretty(fd: number): DestinationStream {
  return pinoPretty({
    destination: fd,
    sync: true,
    colorize: isatty(fd),
    translateTime: 'SYS:yyyy-mm-dd HH:MM:ss.l',
    ignore: 'pid,hostname,context',
    singleLine: true,
  });
}
