/**
 * The destination of log lines: a buffer in front of standard error that never waits for the reader.
 *
 * 1. A line is written at the end of its turn of the event loop; a high-volume line at most a tenth of a
 *    second later, together with the lines of that time.
 * 2. While the reader is behind, lines are kept up to a bound. Further lines are dropped and counted, and the
 *    count is reported when the reader has caught up.
 * 3. When the process ends in order, the kept lines are written first; a stalled reader gets at most a
 *    second.
 */
export interface LogOutput {
  /**
   * Writes as much as the reader accepts now, and returns the number of bytes. Throws when the output is
   * closed.
   */
  write(bytes: Uint8Array): number;
}

export interface LogSinkOptions {
  readonly output: LogOutput;
  /** Characters kept for a slow reader. */
  readonly keptMax?: number;
}

const KEPT_MAX = 4 * 2 ** 20;
const BATCH_MS = 100;
/** This many characters are written without waiting for more. */
const BATCH_CHARS = 32_768;
const RETRY_MS = 20;
const END_WAIT_MS = 1_000;
const END_PAUSE_MS = 5;
const NOTHING = new Uint8Array();

export class LogSink {
  /** Called with the number of dropped lines, when lines are accepted again. */
  onCaughtUp: ((dropped: number) => void) | undefined;
  readonly #output: LogOutput;
  readonly #keptMax: number;
  #lines: string[] = [];
  #lineCount = 0;
  #chars = 0;
  /** The unwritten rest of the current write. */
  #bytes = NOTHING;
  #linesInBytes = 0;
  #isDueSoon = false;
  #later: NodeJS.Timeout | undefined;
  /** Whether the last write succeeded. */
  #isTaken = true;
  #dropped = 0;
  #unreported = 0;

  constructor({ output, keptMax = KEPT_MAX }: LogSinkOptions) {
    this.#output = output;
    this.#keptMax = keptMax;
  }

  /** The number of lines that were lost. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Writes a line, including its line end. */
  write(line: string): void {
    if (!this.#keep(line, 1)) return;
    if (this.#isDueSoon) return;
    this.#isDueSoon = true;
    setImmediate(() => {
      this.#isDueSoon = false;
      if (this.#later === undefined) this.flush();
    });
  }

  /** A high-volume line, or `lines` of them in one text. */
  writeLater(text: string, lines = 1): void {
    if (!this.#keep(text, lines)) return;
    if (this.#later === undefined) this.#flushIn(BATCH_MS);
    else if (this.#chars >= BATCH_CHARS && this.#bytes.length === 0) this.flush();
  }

  /** Writes what the reader accepts now; the rest is retried. */
  flush(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    while (this.#fill()) {
      const written = this.#send();
      if (written === 0) {
        this.#flushIn(RETRY_MS);
        return;
      }
    }
    this.#reportDropped();
  }

  /** Writes everything, at the end of the process. */
  flushSync(): void {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    let waitedMs = 0;
    while (waitedMs < END_WAIT_MS && this.#fill()) {
      if (this.#send() > 0) {
        waitedMs = 0;
      } else {
        waitedMs += END_PAUSE_MS;
        Atomics.wait(pause, 0, 0, END_PAUSE_MS);
      }
    }
  }

  #keep(text: string, lines: number): boolean {
    if (this.#chars + this.#bytes.length + text.length > this.#keptMax) {
      this.#drop(lines);
      return false;
    }
    this.#lines.push(text);
    this.#lineCount += lines;
    this.#chars += text.length;
    return true;
  }

  #drop(lines: number): void {
    this.#dropped += lines;
    this.#unreported += lines;
  }

  /** Whether there is something to write. */
  #fill(): boolean {
    if (this.#bytes.length > 0) return true;
    if (this.#lines.length === 0) return false;
    this.#bytes = Buffer.from(this.#lines.join(''));
    this.#linesInBytes = this.#lineCount;
    this.#lines = [];
    this.#lineCount = 0;
    this.#chars = 0;
    return true;
  }

  #send(): number {
    try {
      const written = this.#output.write(this.#bytes);
      this.#bytes = this.#bytes.subarray(written);
      this.#isTaken = written > 0;
      return written;
    } catch {
      // The output is closed, or the disk is full. Only the count can report it.
      this.#isTaken = false;
      this.#drop(this.#linesInBytes + this.#lineCount);
      this.#bytes = NOTHING;
      this.#lines = [];
      this.#lineCount = 0;
      this.#chars = 0;
      return 1;
    }
  }

  #flushIn(ms: number): void {
    this.#later ??= setTimeout(() => this.flush(), ms).unref();
  }

  #reportDropped(): void {
    if (this.#unreported === 0 || !this.#isTaken) return;
    const dropped = this.#unreported;
    this.#unreported = 0;
    this.onCaughtUp?.(dropped);
  }
}
