import type * as chain from '../../libs/load/chain/src/index.ts';

/** Counts the transactions in the feed. */
export class FeedCount {
  readonly #socket: WebSocket;
  #count = 0;
  #wanted = Infinity;
  #reached: () => void = () => undefined;

  private constructor(socket: WebSocket, { decodeFeedFrame, hashesOf }: typeof chain) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      for (const { l2Msg } of decodeFeedFrame(String(data)).messages) this.#count += hashesOf(l2Msg).length;
      if (this.#count >= this.#wanted) this.#reached();
    });
  }

  static async open(port: number, library: typeof chain): Promise<FeedCount> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    const count = new FeedCount(socket, library);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', () => reject(new Error('the feed cannot be opened')));
    });
    return count;
  }

  /** Resolves when this many have arrived since the beginning. */
  until(count: number): Promise<void> {
    if (this.#count >= count) return Promise.resolve();
    this.#wanted = count;
    return new Promise((resolve) => (this.#reached = resolve));
  }

  close(): void {
    this.#socket.close();
  }
}
