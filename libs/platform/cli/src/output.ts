import { once } from 'node:events';

const CONTROL = /\p{C}/gu;

/** Ends no program whose reader has closed the pipe: what it writes from then on is lost, as it should be. */
export function allowClosedPipes(streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    if (!stream.listeners('error').includes(onlyClosed)) stream.on('error', onlyClosed);
  }
}

function onlyClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** The destination of a command's result. A reader that closes the pipe early is not a failure. */
export class Output {
  readonly #stream: NodeJS.WriteStream;
  #isGone = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      onlyClosed(error);
      this.#isGone = true;
    });
  }

  /** Whether the reader has closed the pipe: further output is useless. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Resolves when the reader keeps up. */
  async write(text: string | Uint8Array): Promise<void> {
    if (this.#isGone || this.#stream.write(text)) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([once(this.#stream, 'drain', { signal }), once(this.#stream, 'close', { signal })])
      .catch(() => undefined)
      // The listeners of the event that did not come would remain.
      .finally(() => waiting.abort());
  }

  async line(text: string): Promise<void> {
    await this.write(`${text}\n`);
  }
}

/** Replaces control characters, which could move a terminal's cursor, and line ends by spaces. */
export function visibleText(text: string): string {
  return text.replace(CONTROL, ' ');
}
