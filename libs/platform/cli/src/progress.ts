import cliProgress from 'cli-progress';
import { Option } from 'commander';
import { styled } from './style.ts';

const PLAIN_INTERVAL_MS = 5_000;
const FRAMES_PER_SECOND = 8;
const BAR_CELLS = 24;
const MS_PER_S = 1_000;
const KB = 1_000;
const MB = 1_000_000;
const MINUTE_S = 60;
const HOUR_S = 3_600;

export interface ProgressOptions {
  /** What is done: `ingest`. */
  readonly label: string;
  /** Undefined: it is not known beforehand. */
  readonly total?: number | undefined;
  /** Whether plain lines are printed at intervals where standard error is no terminal. */
  readonly isPlain: boolean;
  readonly stream?: NodeJS.WriteStream;
}

/** Prints plain lines of progress where standard error is no terminal; on one, progress is always shown. */
export function progressOption(): Option {
  return new Option('--progress', 'print progress at intervals also where standard error is no terminal');
}

/** How many bytes are done, at which rate, and how long the rest takes. */
export function progressText(done: number, total: number | undefined, elapsedMs: number): string {
  const seconds = elapsedMs / MS_PER_S;
  const perSecond = seconds > 0 ? done / seconds : 0;
  const of = total === undefined ? '' : ` of ${sizeOf(total)}`;
  const rate = perSecond > 0 ? `, ${sizeOf(perSecond)}/s` : '';
  const counts = `${sizeOf(done)}${of}${rate}`;
  if (total === undefined || perSecond === 0) return `${counts}, ${durationOf(seconds)} so far`;
  return `${counts}, ${durationOf(Math.max(0, total - done) / perSecond)} left`;
}

function sizeOf(bytes: number): string {
  return bytes < MB ? `${Math.round(bytes / KB)} kB` : `${(bytes / MB).toFixed(1)} MB`;
}

function durationOf(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < MINUTE_S) return `${whole} s`;
  const minutes = Math.floor(whole / MINUTE_S);
  if (whole < HOUR_S) return `${minutes} min ${whole % MINUTE_S} s`;
  return `${Math.floor(whole / HOUR_S)} h ${minutes % MINUTE_S} min`;
}

/**
 * Progress in bytes on standard error: one line on a terminal, which is cleared at the end; plain lines at
 * intervals elsewhere, if they are wanted; otherwise nothing.
 */
export class Progress {
  readonly #bar: cliProgress.SingleBar | undefined;
  readonly #total: number | undefined;
  #done = 0;

  constructor({ label, total, isPlain, stream = process.stderr }: ProgressOptions) {
    this.#total = total;
    if (!stream.isTTY && !isPlain) return;
    const startedMs = Date.now();
    const bar = new cliProgress.SingleBar({
      stream,
      fps: FRAMES_PER_SECOND,
      clearOnComplete: stream.isTTY,
      hideCursor: true,
      noTTYOutput: isPlain,
      notTTYSchedule: PLAIN_INTERVAL_MS,
      format: () => {
        const text = `${label}: ${progressText(this.#done, this.#total, Date.now() - startedMs)}`;
        return stream.isTTY ? `${barOf(this.#done, this.#total, stream)}${text}` : text;
      },
    });
    bar.start(total ?? 0, 0);
    this.#bar = bar;
  }

  /** The number of bytes that are done by now. */
  set(done: number): void {
    this.#done = done;
    this.#bar?.update(Math.min(done, this.#total ?? 0));
  }

  end(): void {
    this.#bar?.stop();
  }

  /** Passes pieces through and counts their bytes; ends with them. */
  async *counting<Piece extends Uint8Array>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
    try {
      for await (const piece of pieces) {
        yield piece;
        this.set(this.#done + piece.length);
      }
    } finally {
      this.end();
    }
  }
}

function barOf(done: number, total: number | undefined, stream: NodeJS.WriteStream): string {
  if (total === undefined) return '';
  const cells = total === 0 ? BAR_CELLS : Math.min(BAR_CELLS, Math.floor((done / total) * BAR_CELLS));
  const percent = total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
  const bar = styled('green', '█'.repeat(cells), stream) + '░'.repeat(BAR_CELLS - cells);
  return `${bar} ${String(percent).padStart(3)} %  `;
}
