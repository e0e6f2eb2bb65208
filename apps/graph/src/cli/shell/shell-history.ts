import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { type Disk, DiskError, isMissingFile } from '#platform/disk';

const ENTRIES_MAX = 1_000;
/** Text after such a name may be a secret. */
const SECRET = /(?:passw(?:or)?d|passphrase|secret|token|api_?key|private_?key|credential)\w*['"`]?\s*[:=]/i;
const SECRET_URL = /[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]*:[^/?#@\s]+@/i;

/** Where the shell keeps its history: below XDG_STATE_HOME, else in the user's home. */
export function historyFile(environment: Readonly<Record<string, string | undefined>>): string {
  const state = environment['XDG_STATE_HOME'];
  return join(
    state === undefined || state === '' ? join(homedir(), '.local', 'state') : state,
    'plexus',
    'shell_history',
  );
}

/** Whether an entry is left out: values of parameters, secrets by their names, what begins with a blank. */
export function isPrivate(entry: string): boolean {
  return /^\s/.test(entry) || /^:param\s/.test(entry) || SECRET.test(entry) || SECRET_URL.test(entry);
}

/**
 * The last statements, one a line, in a file with the mode 0600. It is rewritten as a whole under another
 * name, so that two shells lose at most each other's last entries, and never leave half a file.
 */
export class ShellHistory {
  readonly #disk: Disk;
  readonly #path: string;
  #entries: readonly string[] = [];
  #fault: string | undefined;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** Oldest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  /** Why the history is not kept in the file. */
  get fault(): string | undefined {
    return this.#fault;
  }

  async load(): Promise<void> {
    await this.#try(async () => {
      this.#entries = await this.#stored();
    });
  }

  /** Adds an entry as one line, unless it is private, or the same as the last one. */
  async add(statement: string): Promise<void> {
    const entry = statement.replaceAll(/\s*\n\s*/g, ' ');
    if (isPrivate(statement) || hasLineComment(statement) || entry === this.#entries.at(-1)) return;
    this.#entries = [...this.#entries, entry].slice(-ENTRIES_MAX);
    await this.#try(() => this.#write(this.#entries));
  }

  async #stored(): Promise<readonly string[]> {
    try {
      const text = await this.#disk.readLooseText(this.#path);
      return text
        .split('\n')
        .filter((line) => line !== '')
        .slice(-ENTRIES_MAX);
    } catch (error) {
      if (isMissingFile(error)) return [];
      throw error;
    }
  }

  async #write(entries: readonly string[]): Promise<void> {
    const directory = dirname(this.#path);
    await this.#disk.makeDirectory(directory);
    const draft = `${this.#path}.${randomUUID()}.tmp`;
    try {
      await this.#disk.writeNew(draft, Buffer.from(`${entries.join('\n')}\n`, 'utf8'));
      await this.#disk.rename(draft, this.#path);
    } catch (error) {
      await this.#disk.remove(draft);
      throw error;
    }
  }

  async #try(work: () => Promise<void>): Promise<void> {
    if (this.#fault !== undefined) return;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.#fault = `${this.#path}: ${error.code}`;
    }
  }
}

/** One line would make the rest of it a comment. */
function hasLineComment(statement: string): boolean {
  return statement.includes('\n') && /--|\/\//.test(statement);
}
