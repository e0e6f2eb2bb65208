/** Little-endian integers in byte arrays. *Hot path*: no DataView is allocated; every index is in bounds. */

const TWO_32 = 2 ** 32;

export function getU16(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

export function getU32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

/** Exact below 2^53. */
export function getU64(bytes: Uint8Array, at: number): number {
  return getU32(bytes, at) + getU32(bytes, at + 4) * TWO_32;
}

export function setU16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
}

export function setU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

export function setU64(bytes: Uint8Array, at: number, value: number): void {
  setU32(bytes, at, value);
  setU32(bytes, at + 4, Math.floor(value / TWO_32));
}
