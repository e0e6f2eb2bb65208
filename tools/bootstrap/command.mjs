import { spawn } from 'node:child_process';
import { Refusal } from './refusal.mjs';

/**
 * Runs a command without standard input, with all output on stderr. Throws {@link Refusal} when it fails or
 * is killed.
 */
export function command(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 2, 2] });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => child.kill(signal));
    const name = [program, ...args].join(' ');
    child.on('error', (error) => reject(new Refusal(`could not run ${name}: ${error.message}`)));
    child.on('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Refusal(`${name} ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}
