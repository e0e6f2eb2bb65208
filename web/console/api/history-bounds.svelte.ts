import { dataOf } from '../../kit/session/api-error.ts';
import { getStats } from './generated/sdk.gen.ts';

const FRESH_MS = 60_000;

/** Where the history of the graph begins, read at most once a minute. */
export class HistoryBounds {
  #sinceMs = $state<number | undefined>();
  #read: Promise<void> | undefined;
  #readAt = 0;

  /** The earliest moment that can be asked for, in ms since the epoch; undefined: none, or not known. */
  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  load(): Promise<void> {
    if (this.#read === undefined || Date.now() - this.#readAt > FRESH_MS) {
      this.#readAt = Date.now();
      this.#read = this.#readBounds();
    }
    return this.#read;
  }

  async #readBounds(): Promise<void> {
    try {
      const { history } = await dataOf(getStats());
      this.#sinceMs = history && Date.parse(history.since);
    } catch {
      // A moment can be typed without the bounds; a failure is not reported.
      this.#read = undefined;
    }
  }
}

/** The instance of this page. */
export const historyBounds = new HistoryBounds();
