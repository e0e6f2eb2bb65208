/** The changes of one entity, the latest first. */
import type { GraphSnapshot } from '#graph/memory';
import type { Source } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { FormerRecord, HistoryPart } from '../record/history-record.ts';
import { writeEntityKey } from '../record/record-key.ts';
import { PrefixDecoder } from '../record/record-prefix.ts';
import { RecordReader } from '../record/record-reader.ts';
import { RecordWriter } from '../record/record-writer.ts';
import {
  type ChangeKind,
  contentOf,
  differingFields,
  fieldValues,
  type FieldValues,
  formerState,
  type RecordedContent,
} from '../record/recorded-state.ts';
import { noteSeen } from '../seq/seen-seq.ts';
import type { GraphStore } from '../store/graph-store.ts';
import { requireId } from '../store/graph-view.ts';

/** One change of an entity by one batch. */
export interface EntityChange {
  readonly change: ChangeKind;
  /** RFC 3339 UTC, milliseconds. */
  readonly at: string;
  readonly seq: number;
  /** Whose it was, by name; absent where it is not known. */
  readonly who?: string;
  /** Who wrote the new content; of a deletion, what was deleted. */
  readonly source: Source;
  /** By name; of a creation and of a deletion all of it. */
  readonly fields: readonly FieldValues[];
}

export interface EntityChangesRequest {
  /** 32 hex digits. */
  readonly id: string;
  /** Changes up to this batch. */
  readonly upTo: number;
  readonly limit: number;
  /** Awaited regularly; ends the work by throwing. */
  readonly pause: () => Promise<void>;
}

export interface EntityChangesPage {
  readonly changes: readonly EntityChange[];
  /** The batch up to which the next page goes; absent if there is none. */
  readonly next?: number;
}

/** What an entity was after some batch. */
interface State {
  /** Undefined while it is not there. */
  readonly content: RecordedContent | undefined;
  /** When it became that; `-Infinity` for one that never was. */
  readonly sinceMs: number;
  readonly version: number;
}

/** A batch that changed the entity. */
interface Step {
  readonly seq: number;
  readonly atMs: number;
  readonly before: State;
}

const NEVER: State = { content: undefined, sinceMs: -Infinity, version: 0 };

/**
 * Goes back from one change to the one before it: the stamp of a state has the time of the change that made
 * it, so that only the batches of about that time are read.
 */
export class EntityTimeline {
  readonly #store: GraphStore;
  readonly #prefixes = new PrefixDecoder();

  constructor(store: GraphStore) {
    this.#store = store;
  }

  /** Throws NOT_FOUND for an entity that is unknown, INVALID_REQUEST, BEYOND_HISTORY. */
  async page({ id, upTo, limit, pause }: EntityChangesRequest): Promise<EntityChangesPage> {
    requireId(id);
    this.#store.requireLoaded();
    const { memory, history } = this.#store;
    const snapshot = memory.snapshot({ includeDeleted: true });
    try {
      const last = snapshot.snapshotVersion;
      history.requireSeq(upTo, last, 'cursor');
      const key = keyOf(snapshot, id);
      let state = (await this.#nextStep(key, upTo, last, pause))?.before ?? presentState(snapshot, id);
      const changes: Omit<EntityChange, 'who'>[] = [];
      for (let end = upTo; ;) {
        const step = await this.#lastStep(key, state, end, pause);
        if (step === undefined) return { changes: await this.#attributed(changes) };
        if (changes.length === limit) return { changes: await this.#attributed(changes), next: end };
        changes.push(...changeOf(step, state));
        state = step.before;
        end = step.seq - 1;
      }
    } finally {
      snapshot.release();
      noteSeen(this.#store.epoch, snapshot.snapshotVersion);
    }
  }

  /** The first batch after `after` that changed the entity. */
  async #nextStep(
    key: Uint8Array,
    after: number,
    last: number,
    pause: () => Promise<void>,
  ): Promise<Step | undefined> {
    if (after === last) return undefined;
    for await (const part of this.#store.history.parts(after, last)) {
      const step = this.#stepIn(part, key);
      if (step !== undefined) return step;
      await pause();
    }
    return undefined;
  }

  /** The last batch up to `upTo` that changed the entity, which made it `state`. */
  async #lastStep(
    key: Uint8Array,
    state: State,
    upTo: number,
    pause: () => Promise<void>,
  ): Promise<Step | undefined> {
    const after = await this.#store.history.seqBefore(state.sinceMs, upTo);
    if (after === undefined || after >= upTo) return undefined;
    let found: Step | undefined;
    for await (const part of this.#store.history.parts(after, upTo)) {
      const step = this.#stepIn(part, key);
      found = step ?? found;
      // Versions are numbered: nothing comes between.
      if (step !== undefined && state.content !== undefined && step.before.version + 1 === state.version)
        break;
      await pause();
    }
    return found;
  }

  #stepIn({ seq, atMs, records }: HistoryPart, key: Uint8Array): Step | undefined {
    const record = records.find((each) => each.was !== 'seen' && Buffer.compare(each.key, key) === 0);
    return record && { seq, atMs, before: this.#stateOf(record) };
  }

  #stateOf(record: FormerRecord): State {
    if (record.was === 'none') return NEVER;
    const { updatedAtMs, deletedAtMs, version } = this.#prefixes.decode(new RecordReader(record.value)).stamp;
    const content = contentOf(formerState(record, this.#prefixes));
    return { content, sinceMs: deletedAtMs ?? updatedAtMs, version };
  }

  async #attributed(changes: readonly Omit<EntityChange, 'who'>[]): Promise<readonly EntityChange[]> {
    const authors = await this.#store.history.authors(changes.map(({ seq }) => seq));
    return changes.map((change) => {
      const who = authors.get(change.seq);
      return who === undefined ? change : { ...change, who };
    });
  }
}

function keyOf(snapshot: GraphSnapshot, id: string): Uint8Array {
  const node = snapshot.nodeById(id);
  if (node < 0) throw new DomainError('NOT_FOUND', 'no such entity', { details: { id } });
  const { type, key } = snapshot.entity(node);
  return writeEntityKey(new RecordWriter(), type, key).copy();
}

function presentState(snapshot: GraphSnapshot, id: string): State {
  const entity = snapshot.entity(snapshot.nodeById(id));
  const isLive = entity.deleted_at === null;
  return {
    content: isLive ? contentOf({ entity }) : undefined,
    sinceMs: Date.parse(entity.deleted_at ?? entity.updated_at),
    version: entity.version,
  };
}

/** Nothing where the content is the same, as of one that another source has taken over. */
function changeOf({ seq, atMs, before }: Step, after: State): readonly Omit<EntityChange, 'who'>[] {
  const names = differingFields(before.content, after.content);
  const written = after.content ?? before.content;
  if (names.length === 0 || written === undefined) return [];
  const change =
    before.content === undefined ? 'created' : after.content === undefined ? 'deleted' : 'changed';
  return [
    {
      change,
      at: new Date(atMs).toISOString(),
      seq,
      source: written.source,
      fields: names.map((name) => fieldValues(name, before.content, after.content)),
    },
  ];
}
