/** How the graph of one moment differs from that of another. */
import type { GraphSnapshot } from '#graph/memory';
import { entityId, relationshipId } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { Moment } from '../history/history.ts';
import { readEntityKey, readRelationshipKey, RECORD_KIND } from '../record/record-key.ts';
import { contentOf, type RecordedContent } from '../record/recorded-state.ts';
import { noteSeen } from '../seq/seen-seq.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { ChangedRecord } from './changed-record.ts';
import { ChangedRecords } from './changed-records.ts';
import type { Difference, End, EntityDifference, RelationshipDifference } from './difference.ts';
import { EntityTimeline } from './entity-timeline.ts';
import { DiffWindow, ReadAhead } from './read-ahead.ts';

/** Records that are compared for the first page of those with a name. */
const CANDIDATES_MAX = 10_000;
const COMPARED_PER_PAUSE = 64;

export interface DiffRequest {
  /** Sequence numbers: the states after these batches. */
  readonly from: number;
  readonly to: number;
  /** Most records of the page. */
  readonly limit: number;
  /** A type, class or label: only entities that have it, and relationships with an end that does. */
  readonly name?: string | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** Awaited regularly, with the memory held; ends the work by throwing. */
  readonly pause: (heldBytes: number) => Promise<void>;
}

export interface DiffPage {
  /** Entities by type and key, then relationships; fewer than the limit, if many are left out. */
  readonly changes: readonly Difference[];
  /** Set if there may be more. */
  readonly next?: string;
}

/**
 * Reads what the batches since the first moment have replaced, never a whole graph. The first page reads them
 * for itself; the second one for as many pages as fit a window, which is kept for them.
 */
export class GraphDiff {
  /** The single changes of one entity. */
  readonly timeline: EntityTimeline;
  readonly #store: GraphStore;
  readonly #ahead = new ReadAhead();

  constructor(store: GraphStore) {
    this.#store = store;
    this.timeline = new EntityTimeline(store);
  }

  /**
   * The number of the last batch up to a moment; without one, of the last batch of all. Throws
   * BEYOND_HISTORY, INVALID_REQUEST for the future, STORE_UNAVAILABLE if it is not known whether it is one.
   */
  async seqOf(moment: Moment | undefined, field: string): Promise<number> {
    if (moment !== undefined && 'seq' in moment) await this.#store.look.takenFor(moment.seq);
    this.#store.requireLoaded();
    const { history, publishedSeq: last } = this.#store;
    const seq =
      moment === undefined || 'seq' in moment
        ? (moment?.seq ?? last)
        : await history.seqAt(moment.atMs, last, this.#store.nowMs(), field);
    history.requireSeq(seq, last, field);
    return seq;
  }

  async page(request: DiffRequest): Promise<DiffPage> {
    this.#store.requireLoaded();
    const { history } = this.#store;
    const { from, to, limit, name, after = '' } = request;
    const last = this.#store.publishedSeq;
    history.requireSeq(from, last, 'from');
    requireOrder(from, to, last);
    const question = JSON.stringify([this.#store.epoch, history.erasures, from, to, name]);
    let window = this.#ahead.get(question, after);
    if (window === undefined) {
      window = await this.#windowOf(request);
      // What the sweep has removed meanwhile was not read.
      history.requireSeq(from, this.#store.publishedSeq, 'from');
      if (window.length > limit) this.#ahead.keep(question, window);
    }
    const page = window.page(after, limit);
    const authors = await history.authors(page.changes.map(({ seq }) => seq));
    noteSeen(this.#store.epoch, last);
    return { ...page, changes: page.changes.map((change) => attributed(change, authors)) };
  }

  async #windowOf({ from, to, limit, name, after, pause }: DiffRequest): Promise<DiffWindow> {
    const { memory, history } = this.#store;
    const snapshot = memory.snapshot({ includeDeleted: true });
    try {
      const first = name === undefined ? limit : Math.max(limit, CANDIDATES_MAX);
      const most = after === undefined ? first : Number.MAX_SAFE_INTEGER;
      const records = new ChangedRecords({ limit: most, after: after ?? '' });
      for await (const part of history.parts(from, snapshot.snapshotVersion)) {
        if (part.seq <= to) records.add(part);
        else records.complete(part.records);
        await pause(records.bytes);
      }
      return await windowOf(records, new Present(snapshot, name), after ?? '', pause);
    } finally {
      snapshot.release();
    }
  }
}

function attributed(change: Difference, authors: ReadonlyMap<number, string>): Difference {
  const who = authors.get(change.seq);
  return who === undefined ? change : { ...change, who };
}

function requireOrder(from: number, to: number, last: number): void {
  if (from <= to && to <= last) return;
  const message = `to: expected a moment from ${String(from)} to ${String(last)}, got ${String(to)}`;
  throw new DomainError('INVALID_REQUEST', message, { details: { field: 'to', from, last } });
}

async function windowOf(
  records: ChangedRecords,
  present: Present,
  after: string,
  pause: DiffRequest['pause'],
): Promise<DiffWindow> {
  const window = new DiffWindow(after);
  let compared = 0;
  for (const [name, record] of records.records()) {
    if (window.isFull) return window;
    window.add(name, present.difference(record));
    if (++compared % COMPARED_PER_PAUSE === 0) await pause(records.bytes + window.bytes);
  }
  if (!records.hasMore) window.close();
  return window;
}

/** The graph of now, for what has not changed since the second moment. */
class Present {
  readonly #snapshot: GraphSnapshot;
  readonly #name: string | undefined;
  readonly #isNamed: (node: number) => boolean;

  constructor(snapshot: GraphSnapshot, name: string | undefined) {
    this.#snapshot = snapshot;
    this.#name = name;
    this.#isNamed = name === undefined ? () => true : snapshot.matcher({ names: [name] });
  }

  difference(record: ChangedRecord): Difference | undefined {
    return record.key[0] === RECORD_KIND.entity ? this.#entity(record) : this.#relationship(record);
  }

  #entity(record: ChangedRecord): EntityDifference | undefined {
    const { type, key } = readEntityKey(record.key);
    const id = entityId(type, key);
    if (!record.isComplete) record.complete(this.#entityState(id));
    const difference = record.difference();
    const isWanted =
      this.#name === undefined || type === this.#name || record.some((state) => this.#has(state));
    if (difference === undefined || !isWanted) return undefined;
    const fields = record.known?.fields;
    return {
      record: 'entity',
      id,
      type,
      key,
      class: String(fields?.get('class')),
      display_name: String(fields?.get('display_name')),
      ...difference,
    };
  }

  #relationship(record: ChangedRecord): RelationshipDifference | undefined {
    const { from, verb, to, key } = readRelationshipKey(record.key);
    const ends = {
      from: { id: entityId(from.type, from.key), ...from },
      to: { id: entityId(to.type, to.key), ...to },
    };
    const id = relationshipId(ends.from.id, verb, ends.to.id, key);
    if (!record.isComplete) record.complete(this.#relationshipState(id));
    const difference = record.difference();
    if (difference === undefined || !(this.#isNamedEnd(ends.from) || this.#isNamedEnd(ends.to)))
      return undefined;
    const written = String(record.known?.fields.get('_verb'));
    return {
      record: 'relationship',
      id,
      verb: written,
      ...ends,
      ...(key !== undefined && { key }),
      ...difference,
    };
  }

  #entityState(id: string): RecordedContent | undefined {
    const node = this.#snapshot.nodeById(id);
    const entity = node < 0 ? undefined : this.#snapshot.entity(node);
    return entity?.deleted_at === null ? contentOf({ entity }) : undefined;
  }

  #relationshipState(id: string): RecordedContent | undefined {
    const link = this.#snapshot.linkById(id);
    const relationship = link < 0 ? undefined : this.#snapshot.relationship(link);
    return relationship?.deleted_at === null ? contentOf({ relationship }) : undefined;
  }

  #has({ fields }: RecordedContent): boolean {
    const labels = fields.get('_labels');
    return fields.get('class') === this.#name || (Array.isArray(labels) && labels.includes(this.#name));
  }

  #isNamedEnd({ id, type }: End): boolean {
    if (this.#name === undefined || type === this.#name) return true;
    const node = this.#snapshot.nodeById(id);
    return node >= 0 && this.#isNamed(node);
  }
}
