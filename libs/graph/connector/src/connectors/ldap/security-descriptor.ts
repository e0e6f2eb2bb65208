/**
 * Security descriptors in their self-relative form (MS-DTYP 2.4.6): who owns an object, and its list of
 * granted access. Every part is checked to lie within the one that contains it.
 */
import { DomainError } from '#platform/foundation';
import { guidText, sidText } from './binary-ids.ts';

/** An entry that grants access. */
export interface AccessEntry {
  /** Who is granted it. */
  readonly sid: string;
  /** MS-ADTS 5.1.3.2; generic rights are mapped to those of the directory. */
  readonly mask: number;
  /** The property, set of properties or extended right, as a GUID; undefined: all. */
  readonly objectType: string | undefined;
  /** The class of the objects that inherit it, as a GUID; undefined: all. */
  readonly inheritedType: string | undefined;
  readonly isInherited: boolean;
  /** Only for objects below this one. */
  readonly isInheritOnly: boolean;
}

export interface SecurityDescriptor {
  readonly owner: string | undefined;
  /** The entries that grant access without condition, in order. */
  readonly grants: readonly AccessEntry[];
  /** Entries whose condition is not evaluated. */
  readonly conditionalCount: number;
}

const HEAD_BYTES = 20;
const ACL_HEAD_BYTES = 8;
const ACE_HEAD_BYTES = 4;
const MASK_BYTES = 4;
const GUID_BYTES = 16;
const SID_HEAD_BYTES = 8;
const CONTROL = { daclPresent: 0x0004, selfRelative: 0x8000 } as const;
const ACE = {
  allowed: 0x00,
  allowedObject: 0x05,
  allowedCallback: 0x09,
  allowedCallbackObject: 0x0b,
} as const;
const ACE_FLAG = { inheritOnly: 0x08, inherited: 0x10 } as const;
const OBJECT_FLAG = { objectType: 0x1, inheritedType: 0x2 } as const;
const NO_GUID = '00000000-0000-0000-0000-000000000000';
const EVERYONE = 'S-1-1-0';
const FULL_CONTROL = 0xf01ff;
/** Generic rights, and what they are for objects of a directory (MS-ADTS 5.1.3.2). */
const GENERIC: readonly (readonly [number, number])[] = [
  [0x10000000, FULL_CONTROL],
  [0x20000000, 0x20004],
  [0x40000000, 0x20028],
  [0x80000000, 0x20094],
];

/** Throws INVALID_REQUEST for bytes that are no descriptor. */
export function parseSecurityDescriptor(bytes: Buffer): SecurityDescriptor {
  if (bytes.length < HEAD_BYTES || bytes[0] !== 1) throw malformed('a security descriptor');
  const control = bytes.readUInt16LE(2);
  if ((control & CONTROL.selfRelative) === 0) throw malformed('a self-relative descriptor');
  const ownerAt = bytes.readUInt32LE(4);
  const list = bytes.readUInt32LE(16);
  const owner = ownerAt === 0 ? undefined : sidAt(bytes, ownerAt);
  // An object without a list is open to everyone.
  if ((control & CONTROL.daclPresent) === 0 || list === 0)
    return { owner, grants: [open()], conditionalCount: 0 };
  return { owner, ...listAt(bytes, list) };
}

function open(): AccessEntry {
  const all = { objectType: undefined, inheritedType: undefined, isInherited: false, isInheritOnly: false };
  return { sid: EVERYONE, mask: FULL_CONTROL, ...all };
}

function listAt(bytes: Buffer, at: number): Pick<SecurityDescriptor, 'grants' | 'conditionalCount'> {
  const grants: AccessEntry[] = [];
  let conditionalCount = 0;
  for (const [index, entry] of entriesAt(bytes, at).entries()) {
    const type = entry[0];
    if (type === ACE.allowed || type === ACE.allowedObject) grants.push(grantIn(entry, index));
    else if (type === ACE.allowedCallback || type === ACE.allowedCallbackObject) conditionalCount++;
  }
  return { grants, conditionalCount };
}

/** The bytes of each entry. */
function entriesAt(bytes: Buffer, at: number): readonly Buffer[] {
  if (at < HEAD_BYTES || at + ACL_HEAD_BYTES > bytes.length) throw malformed('an access list');
  const end = at + bytes.readUInt16LE(at + 2);
  const count = bytes.readUInt16LE(at + 4);
  if (end < at + ACL_HEAD_BYTES || end > bytes.length) throw malformed('a whole access list');
  const entries: Buffer[] = [];
  let next = at + ACL_HEAD_BYTES;
  for (let index = 0; index < count; index++) {
    if (next + ACE_HEAD_BYTES > end) throw malformed(`entry ${index} of the access list`);
    const size = bytes.readUInt16LE(next + 2);
    if (size < ACE_HEAD_BYTES || next + size > end)
      throw malformed(`a whole entry ${index} of the access list`);
    entries.push(bytes.subarray(next, next + size));
    next += size;
  }
  return entries;
}

function grantIn(entry: Buffer, index: number): AccessEntry {
  const isObject = entry[0] === ACE.allowedObject;
  let at = ACE_HEAD_BYTES + MASK_BYTES;
  if (entry.length < at + (isObject ? MASK_BYTES : 0)) throw malformed(`the rights of entry ${index}`);
  const flags = isObject ? entry.readUInt32LE(at) : 0;
  if (isObject) at += MASK_BYTES;
  const guid = (flag: number): string | undefined => {
    if ((flags & flag) === 0) return undefined;
    const text = guidText(entry.subarray(at, at + GUID_BYTES));
    if (text === undefined) throw malformed(`the type of entry ${index}`);
    at += GUID_BYTES;
    return text === NO_GUID ? undefined : text;
  };
  const objectType = guid(OBJECT_FLAG.objectType);
  const inheritedType = guid(OBJECT_FLAG.inheritedType);
  const aceFlags = entry.readUInt8(1);
  return {
    sid: sidAt(entry, at),
    mask: mapped(entry.readUInt32LE(ACE_HEAD_BYTES)),
    objectType,
    inheritedType,
    isInherited: (aceFlags & ACE_FLAG.inherited) !== 0,
    isInheritOnly: (aceFlags & ACE_FLAG.inheritOnly) !== 0,
  };
}

/** Bit operations would make the mask negative. */
function mapped(mask: number): number {
  let rights = mask;
  for (const [generic, own] of GENERIC)
    if (hasBits(mask, generic)) rights = Number(BigInt(rights) | BigInt(own));
  return rights;
}

/** Whether a mask of 32 bits has all of these. */
export function hasBits(mask: number, bits: number): boolean {
  return (mask & bits) >>> 0 === bits >>> 0;
}

function sidAt(bytes: Buffer, at: number): string {
  const count = bytes[at + 1];
  const end = at + SID_HEAD_BYTES + 4 * (count ?? 0);
  const sid = count === undefined || end > bytes.length ? undefined : sidText(bytes.subarray(at, end));
  if (sid === undefined) throw malformed('a security identifier');
  return sid;
}

function malformed(expected: string): DomainError {
  return new DomainError('INVALID_REQUEST', `expected ${expected}, got other bytes`);
}
