import { type Command, Option } from 'commander';
import { createInterface, type Interface } from 'node:readline';
import { failureLine, styled } from '#platform/cli';
import { readEnvironment } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { VERSION } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';
import { FORMATS, type Format } from './query.ts';
import { historyFile, ShellHistory } from './shell/shell-history.ts';
import { ShellSession } from './shell/shell-session.ts';
import type { StatementReader } from './shell/statement-reader.ts';
import { openTarget } from './target/open-target.ts';

interface ShellFlags {
  readonly format: Format;
  /** False for --no-history-file. */
  readonly historyFile?: string | false;
}

export function addTo(command: Command, context: CommandContext): void {
  command
    .addOption(new Option('--format <format>', 'how answers are printed').choices(FORMATS).default('table'))
    .option('--history-file <path>', 'file of the history (default: plexus/shell_history in $XDG_STATE_HOME)')
    .option('--no-history-file', 'keep no history')
    .option('--url <url>', 'URL of a running server')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .option('--data-dir <path>', 'data directory')
    .addHelpText(
      'after',
      '\nA statement ends with ; or an empty line. :help lists the commands of the shell.',
    )
    .action(async (flags: ShellFlags, command: Command) => {
      const settings = context.settingsOf(command);
      const target = await openTarget(settings);
      try {
        await target.reach();
        const session = new ShellSession(target, context.output, flags.format);
        if (!process.stdin.isTTY) await runLines(session);
        else {
          await session.learnNames();
          const place = settings.url === '' ? settings.dataDir : new URL(settings.url).host;
          await context.output.line(
            `plexus ${VERSION} on ${place}. A statement ends with ; and :help helps.`,
          );
          await new InteractiveShell(session, await openHistory(flags)).run();
        }
      } finally {
        await target.close();
      }
    });
}

async function openHistory({ historyFile: path }: ShellFlags): Promise<ShellHistory | undefined> {
  if (path === false) return undefined;
  const given = typeof path === 'string' ? path : historyFile(readEnvironment());
  const history = new ShellHistory(new NodeDisk(), given);
  await history.load();
  return history;
}

/** Statements from a file or a pipe: the first failure ends it. */
async function runLines(session: ShellSession): Promise<void> {
  const reader = session.newReader();
  const { signal } = new AbortController();
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
  for await (const line of lines) {
    for (const entry of reader.add(line)) await session.run(entry, signal);
    if (session.isEnded) return;
  }
  for (const entry of reader.end()) await session.run(entry, signal);
}

/** A shell on a terminal. */
class InteractiveShell {
  readonly #session: ShellSession;
  readonly #history: ShellHistory | undefined;
  readonly #reader: StatementReader;
  readonly #lines: Interface;
  readonly #ended = Promise.withResolvers<undefined>();
  /** Of the lines that wait or run, from the moment of their Enter. */
  readonly #stops = new Set<AbortController>();
  /** Lines run one after another, also those that were pasted at once. */
  #work: Promise<void> = Promise.resolve();

  constructor(session: ShellSession, history: ShellHistory | undefined) {
    this.#session = session;
    this.#history = history;
    this.#reader = session.newReader();
    this.#lines = createInterface({
      input: process.stdin,
      output: process.stdout,
      history: [...(history?.entries ?? [])].reverse(),
      historySize: 1_000,
      removeHistoryDuplicates: true,
      completer: (line: string) => session.complete(line),
    });
  }

  /** Until the user leaves. */
  async run(): Promise<void> {
    const lines = this.#lines;
    lines.on('line', (line) => {
      const stop = new AbortController();
      this.#stops.add(stop);
      this.#work = this.#work
        .then(() => this.#take(line, stop.signal))
        .catch((error: unknown) => this.#ended.reject(error))
        .finally(() => this.#stops.delete(stop));
    });
    lines.on('SIGINT', () => this.#interrupt());
    lines.on('close', () => void this.#work.then(() => this.#ended.resolve(undefined)));
    this.#prompt();
    try {
      await this.#ended.promise;
    } finally {
      lines.close();
    }
    if (this.#history?.fault !== undefined) console.error(`the history was not kept: ${this.#history.fault}`);
  }

  async #take(line: string, signal: AbortSignal): Promise<void> {
    if (this.#session.isEnded) return;
    for (const entry of this.#reader.add(line)) {
      await this.#history?.add(entry);
      if (await this.#runOne(entry, signal)) {
        this.#lines.close();
        return;
      }
    }
    this.#prompt();
  }

  /** Whether the user has left with it. A failure is printed, and the shell goes on. */
  async #runOne(entry: string, signal: AbortSignal): Promise<boolean> {
    try {
      if (!signal.aborted) await this.#session.run(entry, signal);
      if (signal.aborted) console.error('stopped');
    } catch (error) {
      console.error(signal.aborted ? 'stopped' : failureLine(error));
    }
    return this.#session.isEnded;
  }

  /** Stops the running statement; else forgets what has been typed. */
  #interrupt(): void {
    if (this.#stops.size > 0) {
      for (const stop of this.#stops) stop.abort();
      return;
    }
    this.#reader.clear();
    process.stdout.write('^C\n');
    // Takes away the line that is being edited.
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
    this.#prompt();
  }

  #prompt(): void {
    const name = this.#session.language ?? 'plexus';
    const text = this.#reader.isOpen ? `${' '.repeat(name.length - 1)}->` : `${name}>`;
    this.#lines.setPrompt(`${styled('cyan', text)} `);
    this.#lines.prompt();
  }
}
