import { fromHex } from '#load/chain';
import type { FindingKind } from '#load/telemetry';
import { countedText } from '#platform/foundation';
import { readNumber, unexpected } from '../rpc/json-rpc.ts';
import type { ChainBlockHeader, Members } from './block-header.ts';

/** A contradiction within a block. */
export interface BlockFault {
  readonly kind: FindingKind;
  readonly hash: Uint8Array | null;
  /** The sender's position, if it is known and in the partition. */
  readonly position: number | null;
  readonly expected: string;
  readonly observed: string;
  readonly receipt: string | null;
}

interface Place {
  readonly hash: string;
  readonly index: number;
  readonly gasUsed: number;
  readonly cumulative: number;
}

/**
 * Checks the receipts of a block for consistency: each is at its stated place in the block that lists it, the
 * cumulative gas of each is the sum up to it, and the sum of all is the block's gas.
 */
export class ReceiptSums {
  readonly #header: ChainBlockHeader;
  readonly #places: Place[] = [];
  readonly #misplaced: BlockFault[] = [];

  constructor(header: ChainBlockHeader) {
    this.#header = header;
  }

  /** Adds any receipt of the block. Throws WIRE_FORMAT for an invalid one. */
  add(receipt: Members): void {
    const place = {
      hash: lowerText(receipt['transactionHash']),
      index: readNumber(receipt['transactionIndex']),
      gasUsed: readNumber(receipt['gasUsed']),
      cumulative: readNumber(receipt['cumulativeGasUsed']),
    };
    this.#places.push(place);
    const { number, hash, txHashes } = this.#header;
    const expected = `block ${number} ${hash}, index ${place.index} ${txHashes[place.index] ?? 'beyond the end'}`;
    const block = `block ${readNumber(receipt['blockNumber'])} ${lowerText(receipt['blockHash'])}`;
    const observed = `${block}, index ${place.index} ${place.hash}`;
    if (observed !== expected) {
      const json = JSON.stringify(receipt);
      this.#misplaced.push(fault('receipt_place', { hash: place.hash, expected, observed, json }));
    }
  }

  /** `isWhole`: all receipts were readable. */
  faults(count: number, isWhole: boolean): readonly BlockFault[] {
    const { txHashes, gasUsed } = this.#header;
    const faults = [...this.#misplaced];
    if (count > txHashes.length) {
      faults.push(
        fault('receipt_count', {
          expected: countedText(txHashes.length, 'receipt'),
          observed: countedText(count, 'receipt'),
        }),
      );
    }
    if (!isWhole || count !== txHashes.length) return faults;
    let sum = 0;
    let isRising = true;
    for (const { hash, cumulative, ...own } of this.#places.sort((one, other) => one.index - other.index)) {
      sum += own.gasUsed;
      if (cumulative === sum || !isRising) continue;
      isRising = false;
      faults.push(
        fault('cumulative_gas', { hash, expected: `gas ${sum} up to here`, observed: `gas ${cumulative}` }),
      );
    }
    if (sum !== gasUsed) {
      faults.push(
        fault('block_gas_sum', {
          expected: `gas ${gasUsed} of the block`,
          observed: `gas ${sum} of its receipts`,
        }),
      );
    }
    return faults;
  }
}

const HASH = /^0x[0-9a-f]{64}$/;

function fault(
  kind: BlockFault['kind'],
  {
    hash,
    json = null,
    ...facts
  }: { hash?: string; json?: string | null; readonly expected: string; readonly observed: string },
): BlockFault {
  const bytes = hash !== undefined && HASH.test(hash) ? fromHex(hash) : null;
  return { kind, position: null, hash: bytes, receipt: json, ...facts };
}

function lowerText(value: unknown): string {
  if (typeof value !== 'string') throw unexpected('a hash', value);
  return value.toLowerCase();
}
