/**
 * Merges sorted sources into one stream with the newest version of each key: a binary heap of cursors, by
 * key, newer first. *Hot path*: awaits only when a source has to fetch its next chunk.
 */
import { compareBytes } from '../encoding/byte-order.ts';
import type { RecordSource, VersionedRecord } from '../store/records.ts';

const CHUNK_RECORDS = 512;
/** Of values: a chunk of large ones is short. */
const CHUNK_BYTES = 512 * 1024;
const SLICE_MS = 4;

interface Cursor {
  readonly source: RecordSource;
  chunk: readonly VersionedRecord[];
  at: number;
  record: VersionedRecord;
}

/**
 * Yields chunks of the records that `keep` accepts, with pauses for other work; closes the sources at its
 * end.
 */
export async function* mergeNewest(
  sources: readonly RecordSource[],
  keep: (record: VersionedRecord) => boolean,
): AsyncGenerator<readonly VersionedRecord[], void, undefined> {
  try {
    const heap = await openCursors(sources);
    let chunk: VersionedRecord[] = [];
    let bytes = 0;
    let sliceEndMs = performance.now() + SLICE_MS;
    while (heap.length > 0) {
      const newest = heap[0]!.record;
      do {
        if (!advance(heap)) await refill(heap);
      } while (heap.length > 0 && compareBytes(heap[0]!.record.key, newest.key) === 0);
      if (keep(newest)) {
        chunk.push(newest);
        bytes += newest.value.length;
      }
      if (chunk.length < CHUNK_RECORDS && bytes < CHUNK_BYTES) continue;
      yield chunk;
      chunk = [];
      bytes = 0;
      if (performance.now() < sliceEndMs) continue;
      await new Promise(setImmediate);
      sliceEndMs = performance.now() + SLICE_MS;
    }
    if (chunk.length > 0) yield chunk;
  } finally {
    for (const source of sources) await source.close();
  }
}

async function openCursors(sources: readonly RecordSource[]): Promise<Cursor[]> {
  const heap: Cursor[] = [];
  for (const source of sources) {
    const chunk = await source.next();
    const record = chunk?.[0];
    if (chunk !== undefined && record !== undefined) heap.push({ source, chunk, at: 0, record });
  }
  for (let i = (heap.length >> 1) - 1; i >= 0; i--) siftDown(heap, i);
  return heap;
}

/** Advances the first cursor within its chunk; returns false at the end of the chunk. */
function advance(heap: Cursor[]): boolean {
  const cursor = heap[0]!;
  const next = cursor.chunk[++cursor.at];
  if (next === undefined) return false;
  cursor.record = next;
  siftDown(heap, 0);
  return true;
}

/** Fetches the first cursor's next chunk, or removes the cursor if there is none. */
async function refill(heap: Cursor[]): Promise<void> {
  const cursor = heap[0]!;
  const chunk = await cursor.source.next();
  if (chunk !== undefined) {
    cursor.chunk = chunk;
    cursor.at = 0;
    cursor.record = chunk[0]!;
  } else {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
  }
  siftDown(heap, 0);
}

function siftDown(heap: Cursor[], from: number): void {
  const moved = heap[from]!;
  let at = from;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
    if (!isBefore(heap[child]!, moved)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = moved;
}

function isBefore(a: Cursor, b: Cursor): boolean {
  const order = compareBytes(a.record.key, b.record.key);
  return order < 0 || (order === 0 && a.record.seq > b.record.seq);
}
