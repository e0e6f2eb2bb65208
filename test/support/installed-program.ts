import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type Environment = Readonly<Record<string, string>>;

/** Working directory and environment of a process; nothing is inherited from this one. */
export interface Place {
  readonly folder: string;
  readonly environment?: Environment;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const PATH = '/usr/local/bin:/usr/bin:/bin';

function start(
  words: readonly string[],
  { folder, environment = {} }: Place,
): ChildProcessWithoutNullStreams {
  const [command = '', ...args] = words;
  return spawn(command, args, { cwd: folder, env: { PATH, ...environment } });
}

/** Runs a command line to its end. */
export async function run(words: readonly string[], place: Place, stdin = ''): Promise<Ended> {
  const child = start(words, place);
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.end(stdin);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') };
}

/** A running program, and its output by lines. */
export class InstalledProgram {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: string[] = [];
  readonly #closed: Promise<number | null>;
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(words: readonly string[], place: Place) {
    this.child = start(words, place);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      createInterface(stream).on('line', (line) => this.#tell(line));
    }
    this.#closed = once(this.child, 'close').then(([code]: unknown[]) => {
      this.#isClosed = true;
      this.#look();
      return code as number | null;
    });
  }

  /** Resolves with the first matching line. Rejects when the program ends without one. */
  said(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const first = this.lines.map((line) => pattern.exec(line)).find((match) => match !== null);
        if (first === undefined && !this.#isClosed) return;
        this.#waiting.delete(look);
        if (first === undefined)
          reject(new Error(`expected ${pattern.source} of:\n${this.lines.join('\n')}`));
        else resolve(first);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** The exit code; null when a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.#closed;
  }

  #tell(line: string): void {
    this.lines.push(line);
    this.#look();
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
}
