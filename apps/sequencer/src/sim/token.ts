/**
 * Replaces contract code: every contract of the simulated chain is an ERC-20 token of which each account
 * initially holds 10^24 units. `transfer` moves units, or reverts if there are too few. Any other call
 * reverts: nothing is executed, and a call that seems to succeed would be a lie about the contract.
 */
import { type Address, toHex } from '#load/chain';

const START_UNITS = 10n ** 24n;
const CALL_GAS = 2_000;
const TRANSFER_GAS = 30_000;
const WORD = 32;
const SELECTOR_BYTES = 4;
const SELECTOR = { transfer: 0xa9059cbb, balanceOf: 0x70a08231, decimals: 0x313ce567 } as const;

/** The outcome of a contract call. */
export interface CallOutcome {
  readonly gas: number;
  readonly isReverted: boolean;
}

export class TokenLedger {
  readonly #units = new Map<string, bigint>();

  /** Executes the call of a transaction, limited by `gasLeft`. */
  call(contract: Address, sender: Address, data: Uint8Array, gasLeft: number): CallOutcome {
    const transfer = transferOf(data);
    const gas = transfer === undefined ? CALL_GAS : TRANSFER_GAS;
    if (gas > gasLeft) return { gas: gasLeft, isReverted: true };
    if (transfer === undefined) return { gas, isReverted: !this.isKnown(data) };
    return { gas, isReverted: !this.#move(contract, sender, transfer) };
  }

  /** Whether the call is one of the token; empty data are a transfer of ether. */
  isKnown(data: Uint8Array): boolean {
    const selector = selectorOf(data);
    return selector === undefined || Object.values(SELECTOR).some((known) => known === selector);
  }

  /** The estimated gas of a call. */
  gasOf(data: Uint8Array): number {
    return transferOf(data) === undefined ? CALL_GAS : TRANSFER_GAS;
  }

  /** The result of a read-only call. */
  view(contract: Address, data: Uint8Array): Uint8Array {
    const selector = selectorOf(data);
    if (selector === SELECTOR.decimals) return wordOf(18n);
    if (selector === SELECTOR.transfer) return wordOf(1n);
    if (selector !== SELECTOR.balanceOf || data.length < SELECTOR_BYTES + WORD) return new Uint8Array(0);
    return wordOf(this.#unitsOf(contract, data.subarray(SELECTOR_BYTES + 12, SELECTOR_BYTES + WORD)));
  }

  #move(contract: Address, sender: Address, { to, units }: Transfer): boolean {
    const held = this.#unitsOf(contract, sender);
    if (held < units) return false;
    this.#units.set(keyOf(contract, sender), held - units);
    this.#units.set(keyOf(contract, to), this.#unitsOf(contract, to) + units);
    return true;
  }

  #unitsOf(contract: Address, holder: Address): bigint {
    return this.#units.get(keyOf(contract, holder)) ?? START_UNITS;
  }
}

interface Transfer {
  readonly to: Address;
  readonly units: bigint;
}

function transferOf(data: Uint8Array): Transfer | undefined {
  if (selectorOf(data) !== SELECTOR.transfer || data.length < SELECTOR_BYTES + 2 * WORD) return undefined;
  const units = BigInt(toHex(data.subarray(SELECTOR_BYTES + WORD, SELECTOR_BYTES + 2 * WORD)));
  return { to: data.subarray(SELECTOR_BYTES + 12, SELECTOR_BYTES + WORD), units };
}

function selectorOf(data: Uint8Array): number | undefined {
  if (data.length < SELECTOR_BYTES) return undefined;
  return new DataView(data.buffer, data.byteOffset, SELECTOR_BYTES).getUint32(0);
}

function wordOf(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(2 * WORD, '0'), 'hex');
}

function keyOf(contract: Address, holder: Address): string {
  return toHex(contract) + toHex(holder);
}
