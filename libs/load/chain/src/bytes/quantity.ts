import { wireFault } from './wire-fault.ts';

const QUANTITY = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/;

/** A number as JSON-RPC writes it: `0x` and hex digits without leading zeros. */
export function toQuantity(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

/** The number that a JSON-RPC quantity of at most 256 bits means. Throws WIRE_FORMAT for anything else. */
export function fromQuantity(text: unknown): bigint {
  if (typeof text !== 'string' || !QUANTITY.test(text)) {
    throw wireFault(`expected a quantity (0x and hex digits without leading zeros), got ${typeof text}`);
  }
  return BigInt(text);
}
