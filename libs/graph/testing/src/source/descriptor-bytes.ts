/** Security descriptors as Active Directory sends them (MS-DTYP 2.4). */

/** Whom an entry is for, if it names nobody. */
export const ANN_SID = 'S-1-5-21-1-2-3-1105';

/** The binary form of `S-1-5-21-…`: revision, count, authority, and little-endian parts. */
export function sidBytes(text: string): Buffer {
  const [authority = '', ...parts] = text.split('-').slice(2);
  const head = Buffer.of(1, parts.length, 0, 0, 0, 0, 0, Number(authority));
  return Buffer.concat([head, ...parts.map((part) => word(Number(part)))]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

/** The first three parts of a GUID have their lowest byte first. */
export function guidBytes(text: string): Buffer {
  const [a = '', b = '', c = '', ...rest] = text.split('-');
  const turned = [a, b, c].map((part) => Buffer.from(part, 'hex').reverse());
  return Buffer.concat([...turned, Buffer.from(rest.join(''), 'hex')]);
}

/** One entry of an access list; the type follows from the GUIDs. */
export interface AccessEntryBytes {
  readonly type?: number;
  readonly flags?: number;
  readonly mask: number;
  readonly objectType?: string;
  readonly inheritedType?: string;
  readonly sid?: string;
}

function aceBytes({
  type,
  flags = 0,
  mask,
  objectType,
  inheritedType,
  sid = ANN_SID,
}: AccessEntryBytes): Buffer {
  const isObject = objectType !== undefined || inheritedType !== undefined;
  const which = (objectType === undefined ? 0 : 1) + (inheritedType === undefined ? 0 : 2);
  const body = Buffer.concat([
    word(mask),
    ...(isObject ? [word(which)] : []),
    ...[objectType, inheritedType].filter((guid) => guid !== undefined).map(guidBytes),
    sidBytes(sid),
  ]);
  const head = Buffer.of(type ?? (isObject ? 5 : 0), flags, 0, 0);
  head.writeUInt16LE(4 + body.length, 2);
  return Buffer.concat([head, body]);
}

/** A self-relative descriptor with this owner and access list. */
export function descriptorBytes(aces: readonly AccessEntryBytes[], ownerSid: string): Buffer {
  const owner = sidBytes(ownerSid);
  const entries = Buffer.concat(aces.map(aceBytes));
  const list = Buffer.concat([Buffer.of(4, 0, 0, 0, 0, 0, 0, 0), entries]);
  list.writeUInt16LE(list.length, 2);
  list.writeUInt16LE(aces.length, 4);
  const head = Buffer.concat([Buffer.of(1, 0, 4, 0x84), word(20), word(0), word(0), word(20 + owner.length)]);
  return Buffer.concat([head, owner, list]);
}
