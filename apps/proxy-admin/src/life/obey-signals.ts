import { listenOnce } from '#foundation';
import type { ProxyLife } from './proxy-life.ts';

/**
 * SIGHUP reloads; SIGTERM and SIGINT stop, and a second one ends the process as if nobody listened. Gives the
 * way to obey no more.
 */
export function obeySignals(life: ProxyLife): () => void {
  const forget = listenOnce(['SIGTERM', 'SIGINT'], (signal) => life.stop(signal));
  const reload = (): void => void life.reload();
  process.on('SIGHUP', reload);
  return () => {
    forget();
    process.removeListener('SIGHUP', reload);
  };
}
