import { DomainError } from '#platform/foundation';

/** The error for malformed input. */
export function wireFault(message: string): DomainError {
  return new DomainError('WIRE_FORMAT', message);
}

/** `0x` and two lower-case digits per byte. */
export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`;
}

/** The bytes of `0x…`. Throws WIRE_FORMAT unless the text is `0x` and two digits per byte. */
export function fromHex(text: string): Uint8Array {
  // Node's decoder stops at the first character that is not a digit.
  const bytes = Buffer.from(text.slice(2), 'hex');
  if (text.startsWith('0x') && bytes.length * 2 === text.length - 2) return bytes;
  throw wireFault(`expected 0x and two hex digits for each byte, got ${excerpt(text)}`);
}

function excerpt(text: string): string {
  return text.length > 24
    ? `${JSON.stringify(text.slice(0, 24))}… (${text.length} characters)`
    : JSON.stringify(text);
}

const QUANTITY = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/;

/** A JSON-RPC quantity: `0x` and hex digits without leading zeros. */
export function toQuantity(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

/** The number in a JSON-RPC quantity of at most 256 bits. Throws WIRE_FORMAT for anything else. */
export function fromQuantity(text: unknown): bigint {
  if (typeof text !== 'string' || !QUANTITY.test(text)) {
    throw wireFault(`expected a quantity (0x and hex digits without leading zeros), got ${typeof text}`);
  }
  return BigInt(text);
}
