/**
 * The history without an entity: each of its former records, and of those of its relationships, becomes a
 * sighting of no record, so that the other records of the batch keep their numbers. Of a deletion, its id is
 * kept for readers of changes who know the record.
 */
import type { BatchWriter } from '#graph/storage';
import type { History } from '../history/history.ts';
import {
  erasedRecord,
  type FormerRecord,
  type HistoryPart,
  PartWriter,
  valuesKey,
} from '../record/history-record.ts';
import { RECORD_KIND } from '../record/record-key.ts';
import { recordId } from '../store/record-sources.ts';
import { concerns, namesBy } from './concerned-records.ts';
import type { EntityNames } from '../erasure/erasure.ts';

/** What its first former record, or one of a relationship of it, calls it; undefined without one. */
export async function namesInHistory(
  history: History,
  id: string,
  upTo: number,
): Promise<EntityNames | undefined> {
  for await (const { records } of history.parts(0, upTo)) {
    const record = records.find(({ key }) => concerns(id, key));
    if (record === undefined) continue;
    const hasContent = record.was === 'live' || record.was === 'deleted';
    return namesBy(record.key, id, hasContent ? record.value : undefined);
  }
  return undefined;
}

/** Yields the changes of the parts up to a batch that have any. */
export async function* erasedParts(
  history: History,
  id: string,
  upTo: number,
): AsyncGenerator<{ readonly records: number; readonly write: (batch: BatchWriter) => void }> {
  for await (const part of history.parts(0, upTo)) {
    const records = part.records.filter(({ key }) => concerns(id, key)).length;
    if (records === 0) continue;
    const bytes = without(part, id);
    yield {
      records,
      write: (batch) => {
        batch.put(valuesKey(part.seq, part.part), bytes);
      },
    };
  }
}

function without({ atMs, records }: HistoryPart, id: string): Uint8Array {
  const writer = new PartWriter(atMs);
  for (const record of records) writer.add(concerns(id, record.key) ? erased(record) : record);
  return writer.view().slice();
}

function erased({ key, isDeletion }: FormerRecord): FormerRecord {
  if (!isDeletion) return erasedRecord();
  return erasedRecord({
    record: key[0] === RECORD_KIND.entity ? 'entity' : 'relationship',
    id: recordId(key),
  });
}
