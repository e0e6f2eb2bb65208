/** The binary identifiers of Active Directory. */
const SID_HEAD_BYTES = 8;
const SID_PART_BYTES = 4;

/** A GUID as text: the first three of its parts have their lowest byte first. Undefined for other lengths. */
export function guidText(bytes: Buffer): string | undefined {
  if (bytes.length !== 16) return undefined;
  const parts = [
    bytes.readUInt32LE(0).toString(16).padStart(8, '0'),
    bytes.readUInt16LE(4).toString(16).padStart(4, '0'),
    bytes.readUInt16LE(6).toString(16).padStart(4, '0'),
    bytes.toString('hex', 8, 10),
    bytes.toString('hex', 10),
  ];
  return parts.join('-');
}

/** A security identifier as text: `S-1-5-21-…-513`. Undefined for invalid bytes. */
export function sidText(bytes: Buffer): string | undefined {
  if (bytes.length < SID_HEAD_BYTES || bytes[0] !== 1) return undefined;
  const count = bytes.readUInt8(1);
  if (bytes.length !== SID_HEAD_BYTES + count * SID_PART_BYTES) return undefined;
  const parts = Array.from({ length: count }, (_, index) =>
    bytes.readUInt32LE(SID_HEAD_BYTES + index * SID_PART_BYTES),
  );
  return ['S-1', bytes.readUIntBE(2, 6), ...parts].join('-');
}

/** The identifier of another account of the same domain: its last part replaced. */
export function sidInDomainOf(sid: string, relativeId: number): string {
  return `${sid.slice(0, sid.lastIndexOf('-'))}-${relativeId}`;
}
