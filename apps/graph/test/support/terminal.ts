import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const MAIN = fileURLToPath(new URL('../../../../dist/programs/graph.js', import.meta.url));

const LIMIT_MS = 60_000;

/** What a terminal shows without its control sequences. */
function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\r', '');
}

/** The built program on a pseudo-terminal of `script` of util-linux. */
export interface Terminal {
  /** All that has been shown, with control sequences. */
  readonly raw: () => string;
  /** Types it, as it is. */
  type(keys: string): void;
  /** Resolves when the text is shown after what was awaited last; returns what is between. */
  until(text: string): Promise<string>;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

export function openTerminal(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Terminal {
  const words = [process.execPath, MAIN, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const command = `stty rows 40 cols 120; ${words.join(' ')}`;
  // Node.js takes the terminal of a build machine (CI) for one without colours.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:PLEXUS_|CI$|NODE_OPTIONS$|NODE_DISABLE_COLORS$|NO_COLOR$|FORCE_COLOR$)/.test(name),
  );
  const child = spawn('script', ['-q', '-e', '-c', command, '/dev/null'], {
    env: { ...Object.fromEntries(inherited), TERM: 'xterm-256color', ...environment },
    // A test that waits for a text that never comes ends, with what is shown.
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  let shown = '';
  let read = 0;
  const waiting = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString('utf8');
    for (const look of waiting) look();
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    raw: () => shown,
    type: (keys) => void child.stdin.write(keys),
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const rest = plain(shown).slice(read);
          const at = rest.indexOf(text);
          if (at < 0) return;
          read += at + text.length;
          waiting.delete(look);
          resolve(rest.slice(0, at + text.length));
        };
        waiting.add(look);
        void ended.then(() => reject(new Error(`ended before ${JSON.stringify(text)}: ${plain(shown)}`)));
        look();
      }),
    ended,
  };
}

/** Why there is no terminal here. */
export async function terminalMissing(): Promise<string | undefined> {
  const probe = spawn('script', ['--version'], { stdio: 'ignore' });
  const code = await Promise.race([
    once(probe, 'close').then(([status]) => status as number),
    once(probe, 'error').then(() => 1),
  ]);
  return code === 0 ? undefined : 'script of util-linux is not installed';
}
