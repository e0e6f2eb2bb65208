import type { GraphWriter } from '#graph/memory';
import type { BatchWriter } from '#graph/storage';
import type { ChangePlan, EntityChange, RelationshipChange } from '../plan/change-plan.ts';
import { ROWS_PER_SLICE } from '../plan/drop-planner.ts';
import { writeEntityValue, writeRelationshipValue } from '../record/content-record.ts';
import { writeEntityKey, writeRelationshipKey } from '../record/record-key.ts';
import { PrefixEncoder } from '../record/record-prefix.ts';
import { RecordWriter } from '../record/record-writer.ts';
import { type BatchStamp, encodeTime, PartWriter, timeKey, valuesKey } from '../record/history-record.ts';

/** A part is closed above this size: it fits a block of a segment, and readers hold little at once. */
const PART_BYTES = 56 * 1024;
const NOTHING = new Uint8Array(0);

/** The batch that a plan becomes. */
export interface HistoryBatch extends BatchStamp {
  readonly batch: BatchWriter;
  readonly seq: number;
}

/** Writes what a plan is about to replace, from memory, into the plan's own batch. */
export class HistoryWriter {
  readonly #prefixes = new PrefixEncoder();
  readonly #key = new RecordWriter();
  readonly #value = new RecordWriter();

  /** Yields regularly. Memory must not have the plan's changes yet. */
  *write(plan: ChangePlan, memory: GraphWriter, into: HistoryBatch): Generator<undefined, void> {
    if (plan.entities.size + plan.relationships.size === 0) return;
    into.batch.put(timeKey(into.seq), encodeTime(into));
    const part = new PartWriter(into.atMs);
    let parts = 0;
    let rows = 0;
    const close = (): void => {
      into.batch.put(valuesKey(into.seq, parts++), part.view());
      part.begin(into.atMs);
    };
    for (const change of plan.entities.values()) {
      this.#entity(change, memory, part);
      if (part.length >= PART_BYTES) close();
      if (++rows % ROWS_PER_SLICE === 0) yield;
    }
    for (const change of plan.relationships.values()) {
      this.#relationship(change, memory, part);
      if (part.length >= PART_BYTES) close();
      if (++rows % ROWS_PER_SLICE === 0) yield;
    }
    if (!part.isEmpty) close();
  }

  #entity(change: EntityChange, memory: GraphWriter, part: PartWriter): void {
    const key = writeEntityKey(this.#key.reset(), change.input.type, change.input.key).view();
    const isDeletion = change.kind === 'delete';
    if (change.node < 0) {
      part.add({ key, was: 'none', isDeletion, value: NOTHING });
      return;
    }
    const state = memory.entityState(change.node);
    const prefix = this.#prefixes.encode(state.stamp, state.owners);
    if (change.kind === 'touch') part.add({ key, was: 'seen', isDeletion, value: prefix });
    else {
      const value = writeEntityValue(this.#value.reset(), prefix, state.head()).view();
      part.add({ key, was: state.isDeleted ? 'deleted' : 'live', isDeletion, value });
    }
  }

  #relationship(change: RelationshipChange, memory: GraphWriter, part: PartWriter): void {
    const key = writeRelationshipKey(this.#key.reset(), change).view();
    const isDeletion = change.kind === 'delete';
    if (change.link < 0) {
      part.add({ key, was: 'none', isDeletion, value: NOTHING });
      return;
    }
    const state = memory.relationshipState(change.link);
    const prefix = this.#prefixes.encode(state.stamp, state.owners);
    if (change.kind === 'touch') part.add({ key, was: 'seen', isDeletion, value: prefix });
    else {
      const content = { verb: state.verb, propertiesJson: state.propertiesJson() };
      const value = writeRelationshipValue(this.#value.reset(), prefix, content).view();
      part.add({ key, was: state.isDeleted ? 'deleted' : 'live', isDeletion, value });
    }
  }
}
