/** Redraws lines in place on a terminal, and prints them one after another otherwise. */
const ESCAPE = '\u001b[';
/** Hides the cursor and truncates long lines, until `end`. */
const BEGIN = `${ESCAPE}?25l${ESCAPE}?7l`;
const END = `${ESCAPE}?7h${ESCAPE}?25h`;
const CLEAR_LINE = `${ESCAPE}2K`;
const CLEAR_BELOW = `${ESCAPE}J`;
const ROWS_UNKNOWN = 24;

/** The used part of standard output. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly rows?: number;
  write(text: string): unknown;
}

export class LiveScreen {
  readonly isLive: boolean;
  readonly isColoured: boolean;
  readonly #stream: Terminal;
  #height: number | undefined;

  constructor(stream: Terminal, environment: NodeJS.ProcessEnv) {
    this.#stream = stream;
    this.isLive = stream.isTTY === true && environment['TERM'] !== 'dumb';
    this.isColoured = this.isLive && (environment['NO_COLOR'] ?? '') === '';
  }

  /** Maximum number of lines of a drawing. */
  get rows(): number {
    return (this.#stream.rows || ROWS_UNKNOWN) - 1;
  }

  say(line: string): void {
    this.#stream.write(`${line}\n`);
  }

  /** Replaces the previous drawing; no effect without a terminal. */
  draw(lines: readonly string[]): void {
    if (!this.isLive) return;
    const start = this.#height === undefined ? BEGIN : `${ESCAPE}${this.#height}F`;
    const text = lines.map((line) => `${CLEAR_LINE}${line}\n`).join('');
    this.#stream.write(`${start}${text}${CLEAR_BELOW}`);
    this.#height = lines.length;
  }

  /** Keeps the last drawing; further lines follow it. */
  end(): void {
    if (this.#height !== undefined) this.#stream.write(END);
    this.#height = undefined;
  }
}
