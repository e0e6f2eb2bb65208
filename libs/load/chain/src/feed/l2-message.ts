/**
 * The content of `l2Msg`, written by a Nitro sequencer and parsed by a node (arbos/parse_l2.go):
 *
 *   4 ‖ transaction              one signed transaction
 *   3 ‖ (u64 length ‖ message)…  a batch; its parts are messages, nested to a depth of 16
 *   0 ‖ …, 1 ‖ …                 unsigned transactions from the parent chain's inbox: skipped
 *
 * A length beyond the end (a truncated tail) ends a batch silently. Any other error, at any depth, makes the
 * whole message void, as does a size above 262,144 bytes.
 */
import { DomainError } from '#platform/foundation';
import { parseTransaction, type TransactionEnvelope } from '../transaction/transaction-envelope.ts';

/** Maximum size of one message. */
export const L2_MESSAGE_BYTES_MAX = 262_144;

const DEPTH_MAX = 16;
const LENGTH_BYTES = 8;
const KIND = { unsigned: 0, contract: 1, batch: 3, signed: 4 } as const;

/** The signed transactions of a message, in order; empty for a void message. Never throws. */
export function transactionsOf(l2Msg: Uint8Array): TransactionEnvelope[] {
  const found: TransactionEnvelope[] = [];
  return l2Msg.length <= L2_MESSAGE_BYTES_MAX && collect(l2Msg, 0, found) ? found : [];
}

/** The hashes of {@link transactionsOf}, in order. */
export function hashesOf(l2Msg: Uint8Array): Uint8Array[] {
  return transactionsOf(l2Msg).map(({ hash }) => hash);
}

/** Encodes signed transactions: a single one directly, any other number as a batch. */
export function encodeL2Message(transactions: readonly Uint8Array[]): Uint8Array {
  const [only] = transactions;
  if (only !== undefined && transactions.length === 1)
    return Buffer.concat([Uint8Array.of(KIND.signed), only]);
  return Buffer.concat([Uint8Array.of(KIND.batch), ...transactions.flatMap(partOf)]);
}

/** The size of a transaction in a batch. */
export function batchedBytes(transaction: Uint8Array): number {
  return LENGTH_BYTES + 1 + transaction.length;
}

function partOf(transaction: Uint8Array): Uint8Array[] {
  const header = Buffer.alloc(LENGTH_BYTES + 1, KIND.signed);
  header.writeBigUInt64BE(BigInt(transaction.length + 1));
  return [header, transaction];
}

/** Returns false if the message is void. */
function collect(message: Uint8Array, depth: number, found: TransactionEnvelope[]): boolean {
  switch (message[0]) {
    case KIND.signed:
      return collectSigned(message.subarray(1), found);
    case KIND.batch:
      return depth < DEPTH_MAX && collectBatch(message, depth, found);
    case KIND.unsigned:
    case KIND.contract:
      return true;
    default:
      return false;
  }
}

function collectBatch(message: Uint8Array, depth: number, found: TransactionEnvelope[]): boolean {
  const view = new DataView(message.buffer, message.byteOffset, message.length);
  let at = 1;
  while (message.length - at >= LENGTH_BYTES) {
    const from = at + LENGTH_BYTES;
    const length = Number(view.getBigUint64(at));
    if (length > message.length - from) return true;
    at = from + length;
    if (!collect(message.subarray(from, at), depth + 1, found)) return false;
  }
  return true;
}

function collectSigned(raw: Uint8Array, found: TransactionEnvelope[]): boolean {
  try {
    found.push(parseTransaction(raw));
    return true;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}
