import type { ProxyLife } from './proxy-life.ts';

const STOP: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];

/** SIGHUP reloads; SIGTERM and SIGINT stop, and a second one ends the process as if nobody listened.
 * Gives the way to obey no more. */
export function obeySignals(life: ProxyLife): () => void {
  const stop = (signal: NodeJS.Signals): void => {
    for (const name of STOP) process.removeListener(name, stop);
    life.stop(signal);
  };
  const reload = (): void => void life.reload();
  for (const name of STOP) process.on(name, stop);
  process.on('SIGHUP', reload);
  return () => {
    for (const name of STOP) process.removeListener(name, stop);
    process.removeListener('SIGHUP', reload);
  };
}
