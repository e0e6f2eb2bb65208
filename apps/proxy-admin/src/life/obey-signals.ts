import type { ProxyLife } from './proxy-life.ts';

const STOP: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];

/** SIGHUP reloads; SIGTERM and SIGINT stop, and a second one ends the process as if nobody listened. */
export function obeySignals(life: ProxyLife): void {
  const stop = (signal: NodeJS.Signals): void => {
    for (const name of STOP) process.removeListener(name, stop);
    life.stop(signal);
  };
  for (const name of STOP) process.on(name, stop);
  process.on('SIGHUP', () => void life.reload());
}
