import { fromHex, toHex } from '#load/chain';
import type { FindingKind } from '#load/telemetry';

/** A difference between a block and the feed messages about it. */
export interface Difference {
  readonly kind: FindingKind;
  readonly hash: string;
  readonly expected: string;
  readonly observed: string;
}

const HASH_BYTES = 32;

/** Compares the hashes in the feed with those in the block; both in their order. */
export function differencesOf(
  received: readonly string[],
  held: readonly string[],
  isOwn: (hash: Uint8Array) => boolean,
): readonly Difference[] {
  const heldSet = new Set(held);
  const receivedSet = new Set(received);
  const strange = received.filter((hash) => !heldSet.has(hash));
  const omitted = held.filter((hash) => !receivedSet.has(hash) && isOwn(fromHex(hash)));
  const common = held.filter((hash) => receivedSet.has(hash));
  const order = received.filter((hash) => heldSet.has(hash));
  const at = order.findIndex((hash, index) => hash !== common[index]);
  const wrong = order.slice(at, at < 0 ? 0 : at + 1);
  return [
    ...strange.map((hash) => {
      return {
        kind: 'feed_not_in_block',
        hash,
        expected: 'as in its block',
        observed: 'not in it, but',
      } as const;
    }),
    ...omitted.map((hash) => {
      return { kind: 'feed_omitted', hash, expected: 'as in its block', observed: 'left out' } as const;
    }),
    ...wrong.map((hash) => {
      return { kind: 'feed_order', hash, expected: common[at] ?? 'nothing more', observed: hash } as const;
    }),
  ];
}

/** Each hash of a list as text. */
export function textsOf(hashes: Uint8Array): readonly string[] {
  return Array.from({ length: hashes.length / HASH_BYTES }, (_, at) =>
    toHex(hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
  );
}
