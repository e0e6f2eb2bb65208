/**
 * Applies the batches of other processes: graph records to memory, where readers see them after publication;
 * the owners of other records are notified.
 */
import type { ForeignBatch, LogOperation } from '#graph/storage';
import { decodeLastSeen } from '../record/last-seen-record.ts';
import { keyParts, RECORD_KIND } from '../record/record-key.ts';
import type { WrittenRecords } from '../plan/change-plan.ts';
import { ROWS_PER_SLICE } from '../plan/drop-planner.ts';
import type { PlanGround } from '../plan/request-planner.ts';
import { decodePriority } from '../source/statement-record.ts';
import { type GraphRecord, RecordApplication } from './record-application.ts';
import { recordId } from './record-sources.ts';

/**
 * Receives a record that another process put, or removed if `value` is undefined, and its sequence number.
 */
export type RecordListener = (key: Uint8Array, value: Uint8Array | undefined, seq: number) => void;

/** What a batch had for the graph. */
export interface TakenOver {
  /** Number of its records. */
  readonly records: number;
  readonly written: WrittenRecords;
}

export class ForeignBatches {
  readonly #listeners = new Map<number, RecordListener[]>();

  /** Calls `listener` for each record of the kind, in order, before the batch is published. */
  on(kind: number, listener: RecordListener): void {
    const known = this.#listeners.get(kind) ?? [];
    this.#listeners.set(kind, [...known, listener]);
  }

  /** Yields regularly. */
  *takeOver(ground: PlanGround, batch: ForeignBatch): Generator<undefined, TakenOver> {
    const into = new Application(ground, batch.seq);
    const written = { entities: [] as string[], relationships: [] as string[] };
    let rows = 0;
    let records = 0;
    for (const operation of batch.operations()) {
      for (const record of recordsOf(operation)) {
        if (into.apply(record)) records++;
        else this.#notify(record, batch.seq);
        if (record.key[0] === RECORD_KIND.entity) written.entities.push(recordId(record.key));
        if (record.key[0] === RECORD_KIND.relationship) written.relationships.push(recordId(record.key));
        if (++rows % ROWS_PER_SLICE === 0) yield;
      }
    }
    return { records, written };
  }

  #notify({ key, value, isDeleted }: GraphRecord, seq: number): void {
    for (const listener of this.#listeners.get(key[0] ?? 0) ?? [])
      listener(key, isDeleted ? undefined : value, seq);
  }
}

class Application {
  readonly #ground: PlanGround;
  readonly #seq: number;
  readonly #records: RecordApplication;

  constructor(ground: PlanGround, seq: number) {
    this.#ground = ground;
    this.#seq = seq;
    this.#records = new RecordApplication(ground.memory);
  }

  /** Returns false for records that are not part of the graph. */
  apply(record: GraphRecord): boolean {
    switch (record.key[0]) {
      case RECORD_KIND.entity:
        this.#records.putEntity(this.#seq, record);
        return true;
      case RECORD_KIND.relationship:
        this.#records.putRelationship(this.#seq, record);
        return true;
      case RECORD_KIND.lastSeen:
        this.#touch(record);
        return true;
      case RECORD_KIND.statements:
        this.#state(record);
        return true;
      case RECORD_KIND.connector:
        this.#rank(record);
        return true;
      default:
        return false;
    }
  }

  /** It is removed only with its record. */
  #touch({ key, value, isDeleted }: GraphRecord): void {
    if (isDeleted) return;
    const recordKey = key.subarray(1);
    const lastSeen = decodeLastSeen(value);
    if (recordKey[0] === RECORD_KIND.entity) this.#records.touchEntity(this.#seq, recordKey, lastSeen);
    else this.#records.touchRelationship(this.#seq, recordKey, lastSeen);
  }

  #state({ key, value, isDeleted }: GraphRecord): void {
    const text = isDeleted ? null : Buffer.from(value).toString('utf8');
    this.#ground.sources.set(this.#seq, recordId(key.subarray(1)), text);
  }

  #rank({ key, value }: GraphRecord): void {
    this.#ground.sources.setPriority(this.#seq, keyParts(key).join('\0'), decodePriority(value));
  }
}

function* recordsOf(operation: LogOperation): Generator<GraphRecord> {
  if (operation.kind !== 'putShared') {
    const { key, value } = operation;
    yield { key, value, isDeleted: operation.kind === 'delete' };
    return;
  }
  for (const key of operation.keys) yield { key, value: operation.value, isDeleted: false };
}
