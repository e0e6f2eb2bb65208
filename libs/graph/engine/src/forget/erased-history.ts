/**
 * The history without an entity: each of its former records, and of those of its relationships, becomes a
 * sighting of no record, so that the other records of the batch keep their numbers.
 */
import type { BatchWriter } from '#graph/storage';
import type { History } from '../history/history.ts';
import { type HistoryPart, PartWriter, valuesKey } from '../record/history-record.ts';
import { concerns } from './concerned-records.ts';

const NOTHING = new Uint8Array(0);
const ERASED = { key: NOTHING, was: 'seen', isDeletion: false, value: NOTHING } as const;

/** Whether a batch up to `upTo` has a former record of the entity or of a relationship of it. */
export async function isInHistory(history: History, id: string, upTo: number): Promise<boolean> {
  for await (const { records } of history.parts(0, upTo))
    if (records.some(({ key }) => concerns(id, key))) return true;
  return false;
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
  for (const record of records) writer.add(concerns(id, record.key) ? ERASED : record);
  return writer.view().slice();
}
