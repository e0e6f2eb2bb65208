/**
 * The law of repeated requests, read from the log itself: the reply to a write or a sync is stored in one
 * batch, with its effect, so that a reply in two batches is a request that took effect twice.
 */
import { isReplyKey } from '#graph/engine';
import type { LogOperation } from '#graph/storage';
import { readSharedLog } from '../shared-log-reader.ts';
import type { StoreAddress } from '../store-address.ts';

/** Violations, and the number of replies in the log. A damaged or missing batch is a violation too. */
export async function repeatedReplies(
  address: StoreAddress,
  schema: string,
): Promise<{ readonly violations: readonly string[]; readonly replies: number }> {
  const batchOf = new Map<string, number>();
  const violations: string[] = [];
  for await (const entry of readSharedLog(address, schema)) {
    if (entry.kind === 'corrupt') {
      violations.push(entry.message);
      continue;
    }
    for (const operation of entry.operations()) {
      for (const key of keysOf(operation)) {
        const name = Buffer.from(key).toString('latin1');
        const before = batchOf.get(name);
        // The retention of replies ends with a deletion.
        if (operation.kind === 'delete') batchOf.delete(name);
        else if (before === undefined) batchOf.set(name, entry.seq);
        else violations.push(`the reply ${shown(name)} is in the batches ${before} and ${entry.seq}`);
      }
    }
  }
  return { violations, replies: batchOf.size };
}

function keysOf(operation: LogOperation): readonly Uint8Array[] {
  const keys = operation.kind === 'putShared' ? operation.keys : [operation.key];
  return keys.filter((key) => isReplyKey(key));
}

function shown(name: string): string {
  return JSON.stringify(Buffer.from(name, 'latin1').toString('utf8').replaceAll('\0', ' '));
}
