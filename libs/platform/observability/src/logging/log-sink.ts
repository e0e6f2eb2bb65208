/**
 * Where log lines go: a buffer in front of standard error that never waits for who reads it.
 *
 * 1. A line is written at the end of the turn of the event loop it came in; one of many, a tenth of a second
 *    later at most, with all that came meanwhile.
 * 2. While the reader does not take them, lines are kept, up to a bound. What comes after that is dropped and
 *    counted, and told of when the reader has caught up.
 * 3. When the process ends in order, what is kept is written first; a reader who takes nothing is waited for
 *    a second.
 */
export interface LogOutput {
  /** Writes as much as is taken now, and gives how much that is. Throws when nothing ever will be. */
  write(bytes: Uint8Array): number;
}

export interface LogSinkOptions {
  readonly output: LogOutput;
  /** Characters that are kept for a reader who is behind. */
  readonly keptMax?: number;
}

const KEPT_MAX = 4 * 2 ** 20;
const BATCH_MS = 100;
/** So much is written without waiting for more. */
const BATCH_CHARS = 32_768;
const RETRY_MS = 20;
const END_WAIT_MS = 1_000;
const END_PAUSE_MS = 5;
const NOTHING = new Uint8Array();

export class LogSink {
  /** Called with the number of lines that were dropped, when lines are taken again. */
  onCaughtUp: ((dropped: number) => void) | undefined;
  readonly #output: LogOutput;
  readonly #keptMax: number;
  #lines: string[] = [];
  #lineCount = 0;
  #chars = 0;
  /** What is being written, as far as it is not. */
  #bytes = NOTHING;
  #linesInBytes = 0;
  #isDueSoon = false;
  #later: NodeJS.Timeout | undefined;
  /** Whether the last attempt to write went well. */
  #isTaken = true;
  #dropped = 0;
  #untold = 0;

  constructor({ output, keptMax = KEPT_MAX }: LogSinkOptions) {
    this.#output = output;
    this.#keptMax = keptMax;
  }

  /** Lines that nobody will see. */
  get dropped(): number {
    return this.#dropped;
  }

  /** A line with its end. */
  write(line: string): void {
    if (!this.#keep(line, 1)) return;
    if (this.#isDueSoon) return;
    this.#isDueSoon = true;
    setImmediate(() => {
      this.#isDueSoon = false;
      if (this.#later === undefined) this.flush();
    });
  }

  /** A line of many, or so many lines in one text. */
  writeLater(text: string, lines = 1): void {
    if (!this.#keep(text, lines)) return;
    if (this.#later === undefined) this.#flushIn(BATCH_MS);
    else if (this.#chars >= BATCH_CHARS && this.#bytes.length === 0) this.flush();
  }

  /** Writes what is taken now; the rest is tried again. */
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
    this.#tell();
  }

  /** Writes all, for a process that ends. */
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
    this.#untold += lines;
  }

  /** Whether there is something to be written. */
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
      // Nobody reads any more, or the disk is full. There is no other place to say so than the count.
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

  #tell(): void {
    if (this.#untold === 0 || !this.#isTaken) return;
    const dropped = this.#untold;
    this.#untold = 0;
    this.onCaughtUp?.(dropped);
  }
}
