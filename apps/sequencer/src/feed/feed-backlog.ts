/** One message in its frame encoding, with its number. */
export interface FeedEntry {
  readonly sequenceNumber: number;
  readonly json: string;
}

const ENTRIES_MAX = 4_096;
const CHARS_MAX = 64 * 2 ** 20;

/**
 * The latest messages of the feed, for late or slow clients. Entries have fixed positions: the position of
 * the first kept entry grows as old ones are removed.
 */
export class FeedBacklog {
  #entries: FeedEntry[] = [];
  #firstPlace = 0;
  #chars = 0;

  /** The position of the next message. */
  get endPlace(): number {
    return this.#firstPlace + this.#entries.length;
  }

  get firstPlace(): number {
    return this.#firstPlace;
  }

  append(entry: FeedEntry): void {
    this.#entries.push(entry);
    this.#chars += entry.json.length;
    let gone = 0;
    while (
      this.#entries.length - gone > ENTRIES_MAX ||
      (this.#chars > CHARS_MAX && gone < this.#entries.length - 1)
    ) {
      this.#chars -= this.#entries[gone++]?.json.length ?? 0;
    }
    if (gone === 0) return;
    this.#entries = this.#entries.slice(gone);
    this.#firstPlace += gone;
  }

  /** Replaces the latest message if it has the same number. */
  replaceLatest(entry: FeedEntry): void {
    const latest = this.#entries.at(-1);
    if (latest?.sequenceNumber !== entry.sequenceNumber) return;
    this.#chars += entry.json.length - latest.json.length;
    this.#entries[this.#entries.length - 1] = entry;
  }

  at(place: number): FeedEntry | undefined {
    return this.#entries[place - this.#firstPlace];
  }

  /** The start position for a requested number: its own, or the first one if the number is not kept. */
  placeOf(sequenceNumber: number | undefined): number {
    const index = this.#entries.findIndex((entry) => entry.sequenceNumber === sequenceNumber);
    return this.#firstPlace + Math.max(0, index);
  }
}
