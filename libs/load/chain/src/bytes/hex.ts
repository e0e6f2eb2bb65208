import { wireFault } from './wire-fault.ts';

/** `0x` and two lower-case digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`;
}

/** The bytes of `0x…`. Throws WIRE_FORMAT unless it is that, with two digits for each byte. */
export function fromHex(text: string): Uint8Array {
  // Node's decoder stops at the first character that is no digit.
  const bytes = Buffer.from(text.slice(2), 'hex');
  if (text.startsWith('0x') && bytes.length * 2 === text.length - 2) return bytes;
  throw wireFault(`expected 0x and two hex digits for each byte, got ${excerpt(text)}`);
}

function excerpt(text: string): string {
  return text.length > 24
    ? `${JSON.stringify(text.slice(0, 24))}… (${text.length} characters)`
    : JSON.stringify(text);
}
