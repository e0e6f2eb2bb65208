/** Bytes as `0x…` in ASCII. */
export const HEX_PREFIX = Buffer.from('0x');

/** Fills `room` with the digits of `bytes`, which are half as many. Twice as fast as a loop. */
export function fillHex(room: Uint8Array, bytes: Uint8Array): void {
  viewOf(room).write(viewOf(bytes).toString('hex'), 'latin1');
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
