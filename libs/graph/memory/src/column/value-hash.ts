/** FNV-1a over the JSON bytes of a value. *Hot path* of sealing. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c_9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x0100_0193);
  return hash >>> 0;
}
