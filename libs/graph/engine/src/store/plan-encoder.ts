/** Encodes a plan as the operations of one storage batch. */
import type { BatchWriter } from '#graph/storage';
import type { HistoryWriter } from '../history/history-writer.ts';
import type { ChangePlan, EntityChange, RelationshipChange } from '../plan/change-plan.ts';
import { ROWS_PER_SLICE } from '../plan/drop-planner.ts';
import { RecordWriter } from '../record/record-writer.ts';
import { writeEntityValue, writeRelationshipValue } from '../record/content-record.ts';
import { encodeLastSeen } from '../record/last-seen-record.ts';
import {
  RECORD_KIND,
  textKey,
  writeEntityKey,
  writeLastSeenKey,
  writeRelationshipKey,
  writeStatementsKey,
} from '../record/record-key.ts';
import { PrefixEncoder } from '../record/record-prefix.ts';
import { encodePriority } from '../source/statement-record.ts';

const NOTHING = new Uint8Array(0);

/** Maximum number of keys that are written at once, to avoid blocking the event loop. */
const KEYS_PER_SIGHTING_MAX = 1_024;

interface Sighting {
  readonly lastSeenAtMs: number;
  readonly owners: readonly string[];
  readonly keys: Uint8Array[];
}

/** The target of a plan's operations. */
interface Encoding {
  readonly batch: BatchWriter;
  /** Takes the former state of each record. */
  readonly former: HistoryWriter | undefined;
  /** Keys of records seen again, by their common value. */
  sightings: Map<string, Sighting> | undefined;
}

export class PlanEncoder {
  readonly #retentionMs: number;
  readonly #prefixes = new PrefixEncoder();
  readonly #key = new RecordWriter();
  readonly #secondKey = new RecordWriter();
  readonly #value = new RecordWriter();

  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  /** Yields regularly. */
  *encode(plan: ChangePlan, batch: BatchWriter, former?: HistoryWriter): Generator<undefined, void> {
    const into: Encoding = { batch, former, sightings: undefined };
    let rows = 0;
    for (const change of plan.entities.values()) {
      this.#entity(change, into);
      if (++rows % ROWS_PER_SLICE === 0) yield;
    }
    for (const change of plan.relationships.values()) {
      this.#relationship(change, into);
      if (++rows % ROWS_PER_SLICE === 0) yield;
    }
    for (const sighting of into.sightings?.values() ?? []) writeSighting(sighting, batch);
    if (plan.priority !== undefined) {
      const { connectorId, priority } = plan.priority;
      batch.put(textKey(RECORD_KIND.connector, connectorId), encodePriority(priority));
    }
  }

  #entity(change: EntityChange, into: Encoding): void {
    const { batch } = into;
    const key = writeEntityKey(this.#key.reset(), change.input.type, change.input.key).view();
    into.former?.entity(change, key);
    if (change.statements !== undefined) this.#statements(batch, key, change.statements);
    if (change.kind === 'touch') {
      this.#touch(change, key, into);
      return;
    }
    const prefix = this.#prefixes.encode(change.stamp, change.owners);
    const value = writeEntityValue(this.#value.reset(), prefix, change.head).view();
    if (change.kind === 'put') batch.put(key, value);
    else this.#delete(batch, key, value, change.stamp.deletedAtMs);
  }

  #relationship(change: RelationshipChange, into: Encoding): void {
    const { batch } = into;
    const key = writeRelationshipKey(this.#key.reset(), change).view();
    into.former?.relationship(change, key);
    if (change.statements !== undefined) this.#statements(batch, key, change.statements);
    if (change.kind === 'touch') {
      this.#touch(change, key, into);
      return;
    }
    const prefix = this.#prefixes.encode(change.stamp, change.owners);
    const value = writeRelationshipValue(this.#value.reset(), prefix, change).view();
    if (change.kind === 'put') batch.put(key, value);
    else this.#delete(batch, key, value, change.stamp.deletedAtMs);
  }

  #statements(batch: BatchWriter, recordKey: Uint8Array, text: string | null): void {
    const key = writeStatementsKey(this.#secondKey.reset(), recordKey).view();
    if (text === null) batch.delete(key, NOTHING, 0);
    else batch.put(key, Buffer.from(text, 'utf8'));
  }

  /** The last-seen record of a deleted record is removed in the same batch. */
  #delete(batch: BatchWriter, key: Uint8Array, value: Uint8Array, deletedAtMs: number | null): void {
    const purgeAtMs = Math.max(0, (deletedAtMs ?? 0) + this.#retentionMs);
    batch.delete(key, value, purgeAtMs);
    batch.delete(writeLastSeenKey(this.#secondKey.reset(), key).view(), NOTHING, purgeAtMs);
  }

  /** Records with the same last-seen time and owners share one value. */
  #touch(change: Pick<EntityChange, 'stamp' | 'owners'>, key: Uint8Array, into: Encoding): void {
    const { lastSeenAtMs } = change.stamp;
    const group = `${String(lastSeenAtMs)}\0${change.owners.join('\0')}`;
    into.sightings ??= new Map();
    let sighting = into.sightings.get(group);
    if (sighting === undefined) {
      sighting = { lastSeenAtMs, owners: change.owners, keys: [] };
      into.sightings.set(group, sighting);
    }
    sighting.keys.push(writeLastSeenKey(this.#secondKey.reset(), key).copy());
    if (sighting.keys.length >= KEYS_PER_SIGHTING_MAX) writeSighting(sighting, into.batch);
  }
}

function writeSighting(sighting: Sighting, batch: BatchWriter): void {
  if (sighting.keys.length > 0) batch.putShared(sighting.keys, encodeLastSeen(sighting));
  sighting.keys.length = 0;
}
