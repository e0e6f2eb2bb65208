import { spawn } from 'node:child_process';
import { Refusal } from './refusal.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command without standard input, with all output on stderr. Throws {@link Refusal} when it fails or
 * is killed. Signals reach it, and end this process as usual when it does not run.
 */
export function command(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 2, 2] });
    const stop = (signal) => child.kill(signal);
    for (const signal of SIGNALS) process.on(signal, stop);
    child.on('close', () => {
      for (const signal of SIGNALS) process.off(signal, stop);
    });
    const name = [program, ...args].join(' ');
    child.on('error', (error) => reject(new Refusal(`could not run ${name}: ${error.message}`)));
    child.on('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Refusal(`${name} ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}
