/**
 * The last tick of each schedule, stored with the graph: a schedule goes on where it was after a restart, and
 * in another process of a shared store. A tick is stored before its work begins, and only if the last one is
 * still the one that the process knows: no tick has its work done twice, by whatever process.
 */
import { DomainError, Turns } from '#platform/foundation';
import type { DocumentChange, StoredDocument } from './documents.ts';
import type { SharedDocuments } from './shared-documents.port.ts';

export interface Tick {
  readonly atMs: number;
  /** The event that the tick follows instead of the time, such as a sync. */
  readonly cause?: string | undefined;
}

export interface TickingSchedule {
  /** The name that the owner gives, after the owner's prefix: `rule/edr`. */
  readonly name: string;
  /** The schedule as written; a changed text begins anew. */
  readonly schedule: string;
}

export interface NewSchedule extends TickingSchedule {
  /** The last tick of a schedule that has none, or one that is far ahead. */
  readonly start: Tick;
  /** The time now, if ticks are times of this clock. */
  readonly nowMs?: number | undefined;
}

export interface ClaimedTick extends TickingSchedule {
  /** The last tick as known to the claimer. */
  readonly from: Tick;
  readonly to: Tick;
}

export interface TickDocuments extends Pick<SharedDocuments, 'exclusively'> {
  change(
    namespace: string,
    changes: readonly DocumentChange[],
    options: { readonly isBookkeeping: boolean },
  ): Promise<void>;
  all(namespace: string, idPrefix?: string): AsyncIterable<StoredDocument>;
}

export interface TicksOptions {
  readonly documents: TickDocuments;
  /** Whether other processes may claim the same ticks. */
  readonly isShared: boolean;
}

interface TickDocument {
  readonly schedule: string;
  readonly at_ms: number;
  readonly cause?: string | undefined;
}

export class Ticks {
  readonly #documents: TickDocuments;
  readonly #isShared: boolean;
  readonly #turns = new Turns(Number.POSITIVE_INFINITY);
  /** Ticks that the store of a single process could not take: they hold until its end. */
  readonly #unstored = new Map<string, TickDocument>();

  constructor({ documents, isShared }: TicksOptions) {
    this.#documents = documents;
    this.#isShared = isShared;
  }

  /** The last tick of each schedule of an owner, by name. Forgets the owner's other schedules. */
  last(prefix: string, schedules: readonly NewSchedule[]): Promise<ReadonlyMap<string, Tick>> {
    return this.#exclusively(async () => {
      const stored = await this.#stored(prefix);
      const names = new Set(schedules.map(({ name }) => name));
      const last = new Map<string, Tick>();
      const changes: DocumentChange[] = [...stored.keys()]
        .filter((name) => !names.has(name))
        .map((name) => ({ id: name, value: undefined }));
      for (const { name, schedule, start, nowMs = Infinity } of schedules) {
        const known = stored.get(name);
        const isKnown = known?.schedule === schedule && known.at_ms <= nowMs + CLOCK_ERROR_MS_MAX;
        last.set(name, isKnown ? tickOf(known) : start);
        if (!isKnown) changes.push({ id: name, value: documentOf(schedule, start) });
      }
      await this.#store(changes);
      return last;
    });
  }

  /** Stores the ticks whose last one is still the known one, and returns their names: their work is due. */
  claim(ticks: readonly ClaimedTick[]): Promise<ReadonlySet<string>> {
    return this.#exclusively(async () => {
      const stored = await this.#stored();
      const claimed = ticks.filter(({ name, schedule, from }) => {
        const last = stored.get(name);
        return last?.schedule === schedule && last.at_ms === from.atMs && last.cause === from.cause;
      });
      await this.#store(
        claimed.map(({ name, schedule, to }) => ({ id: name, value: documentOf(schedule, to) })),
      );
      return new Set(claimed.map(({ name }) => name));
    });
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(() => this.#documents.exclusively(work));
  }

  async #stored(prefix = ''): Promise<ReadonlyMap<string, TickDocument>> {
    const stored = new Map<string, TickDocument>();
    for await (const { id, value } of this.#documents.all(NAMESPACE, prefix))
      stored.set(id, value as TickDocument);
    for (const [name, tick] of this.#unstored) if (name.startsWith(prefix)) stored.set(name, tick);
    return stored;
  }

  async #store(changes: readonly DocumentChange[]): Promise<void> {
    if (changes.length === 0) return;
    try {
      await this.#documents.change(NAMESPACE, changes, { isBookkeeping: true });
      for (const { id } of changes) this.#unstored.delete(id);
    } catch (error) {
      if (this.#isShared || !(error instanceof DomainError)) throw error;
      for (const { id, value } of changes) {
        if (value === undefined) this.#unstored.delete(id);
        else this.#unstored.set(id, value as TickDocument);
      }
    }
  }
}

const NAMESPACE = 'tick';
/** A tick further ahead was stored by a clock that was wrong: a schedule would be silent until then. */
const CLOCK_ERROR_MS_MAX = 3_600_000;

function tickOf({ at_ms: atMs, cause }: TickDocument): Tick {
  return { atMs, cause };
}

function documentOf(schedule: string, { atMs, cause }: Tick): TickDocument {
  return { schedule, at_ms: atMs, cause };
}
