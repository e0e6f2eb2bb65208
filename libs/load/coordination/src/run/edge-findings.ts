import type { FindingKind } from '#load/telemetry';
import type { Finding } from '../record/run-record.ts';

/** What edges found that is no violation by itself, but makes what the checks say less. */
const MESSAGES: Readonly<Partial<Record<FindingKind, string>>> = {
  foreign:
    'transactions from or to accounts of the run that the run did not send: those accounts are inconclusive. Two ' +
    'hives with one seed, a wallet, or what an earlier run left pending',
  malformed_receipt: 'receipts that are none (rpc_garbage): what they should have shown is not known',
  block_replaced:
    'blocks were replaced by others: their receipts are taken back, their transactions followed',
  deep_reorganisation: 'blocks from before what an edge remembers were replaced: the pinned start is void',
  feed_unconfirmed:
    'messages of the feed tell block hashes that stand no more: blocks that were replaced before they were read, or ' +
    'that never were',
  method_missing: 'methods that the RPC does not have: receipts are read one by one',
  blocks_unread: 'blocks could not be read: what they hold is not known',
};

/** Each kind once for each edge, with how many there were. */
export function edgeFindings(
  found: readonly (readonly [string, ReadonlyMap<FindingKind, number>])[],
): readonly Finding[] {
  return found.flatMap(([edgeId, counts]) =>
    Array.from(counts).flatMap(([kind, count]) => {
      const message = MESSAGES[kind];
      return message === undefined
        ? []
        : [{ code: kind, edge_id: edgeId, message: `${count}: ${message}` } satisfies Finding];
    }),
  );
}
