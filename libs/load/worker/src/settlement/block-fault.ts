import type { FindingKind } from '#load/telemetry';

/** What contradicts itself within a block. */
export interface BlockFault {
  readonly kind: FindingKind;
  readonly hash: Uint8Array | null;
  /** Of the sender, where it is known and of the partition. */
  readonly position: number | null;
  readonly expected: string;
  readonly observed: string;
  readonly receipt: string | null;
}
