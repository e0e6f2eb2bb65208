/** The rights on an object that BloodHound has an edge for, from the list of granted access. */
import { type AccessEntry, hasBits, type SecurityDescriptor } from './security-descriptor.ts';

/** Which objects have a list: BloodHound's kind, and the class that entries are inherited by. */
export const CLASS_GUIDS = {
  User: 'bf967aba-0de6-11d0-a285-00aa003049e2',
  Computer: 'bf967a86-0de6-11d0-a285-00aa003049e2',
  Group: 'bf967a9c-0de6-11d0-a285-00aa003049e2',
  Domain: '19195a5a-6da0-11d0-afd3-00c04fd930c9',
  GPO: 'f30e3bc2-9ff0-11d1-b603-0000f80367c1',
  OU: 'bf967aa5-0de6-11d0-a285-00aa003049e2',
  Container: 'bf967a8b-0de6-11d0-a285-00aa003049e2',
} as const;
export type ObjectKind = keyof typeof CLASS_GUIDS;

export interface AccessRight {
  readonly sid: string;
  /** The name of BloodHound's edge. */
  readonly right: string;
  readonly isInherited: boolean;
}

export interface RightsOptions {
  /** Whether the computer's password is managed by LAPS. */
  readonly hasLaps: boolean;
  /** The GUIDs of the attributes that hold such passwords. */
  readonly passwordTypes: ReadonlySet<string>;
}

const MASK = {
  self: 0x8,
  writeProperty: 0x20,
  extendedRight: 0x100,
  writeDacl: 0x40000,
  writeOwner: 0x80000,
  genericAll: 0xf01ff,
} as const;
const MEMBER = 'bf9679c0-0de6-11d0-a285-00aa003049e2';
/** Local system, creator owner and the object itself: they are not others. */
const OWN_SIDS: ReadonlySet<string> = new Set(['S-1-5-18', 'S-1-3-0', 'S-1-5-10']);

/** Extended rights by their GUID. */
const EXTENDED: Readonly<Partial<Record<ObjectKind, Readonly<Record<string, string>>>>> = {
  Domain: {
    '1131f6aa-9c07-11d1-f79f-00c04fc2dcd2': 'GetChanges',
    '1131f6ad-9c07-11d1-f79f-00c04fc2dcd2': 'GetChangesAll',
    '89e95b76-444d-4c62-991a-0facbeda640c': 'GetChangesInFilteredSet',
  },
  User: { '00299570-246d-11d0-a768-00aa006e0529': 'ForceChangePassword' },
  Computer: {},
};
const KEY_CREDENTIAL = '5b47d60f-6090-40b2-9f37-2a4de88f3063';
const LINK = 'f30e3bbe-9ff0-11d1-b603-0000f80367c1';
/** Properties and sets of properties that can be written, by their GUID. */
const WRITABLE: Readonly<Partial<Record<ObjectKind, Readonly<Record<string, string>>>>> = {
  User: { 'f3a64788-5306-11d1-a9c5-0000f80367c1': 'WriteSPN', [KEY_CREDENTIAL]: 'AddKeyCredentialLink' },
  Computer: {
    '3f78c3e5-f79a-46bd-a0b8-9d18116ddc79': 'AddAllowedToAct',
    '4c164200-20c0-11d0-a768-00aa006e0529': 'WriteAccountRestrictions',
    [KEY_CREDENTIAL]: 'AddKeyCredentialLink',
  },
  Group: { [MEMBER]: 'AddMember' },
  OU: { [LINK]: 'WriteGPLink' },
  Domain: { [LINK]: 'WriteGPLink' },
};

/** The owner, and what others may do with an object of this kind. */
export function rightsOn(
  kind: ObjectKind,
  { owner, grants }: SecurityDescriptor,
  options: RightsOptions,
): readonly AccessRight[] {
  const rights: AccessRight[] = [];
  if (owner !== undefined && !OWN_SIDS.has(owner))
    rights.push({ sid: owner, right: 'Owns', isInherited: false });
  for (const entry of grants) {
    if (OWN_SIDS.has(entry.sid) || !isFor(kind, entry)) continue;
    const { sid, isInherited } = entry;
    for (const right of namesOf(kind, entry, options)) rights.push({ sid, right, isInherited });
  }
  return rights;
}

/** Everyone whom the list grants anything. */
export function grantedSids({ grants }: SecurityDescriptor): readonly AccessRight[] {
  const own = grants.filter(({ sid, isInheritOnly }) => !OWN_SIDS.has(sid) && !isInheritOnly);
  return own.map(({ sid, isInherited }) => ({ sid, right: '', isInherited }));
}

/** Entries for what is below the object, or for other classes, say nothing of it. */
function isFor(kind: ObjectKind, { isInheritOnly, isInherited, inheritedType }: AccessEntry): boolean {
  if (isInheritOnly) return false;
  return !isInherited || inheritedType === undefined || inheritedType === CLASS_GUIDS[kind];
}

/** Whoever may do all needs no other right. */
function* namesOf(kind: ObjectKind, entry: AccessEntry, options: RightsOptions): Generator<string> {
  const { mask, objectType } = entry;
  if (hasBits(mask, MASK.genericAll)) {
    if (objectType === undefined) yield 'GenericAll';
    return;
  }
  if (hasBits(mask, MASK.writeDacl)) yield 'WriteDacl';
  if (hasBits(mask, MASK.writeOwner)) yield 'WriteOwner';
  const canWrite = hasBits(mask, MASK.writeProperty);
  if (hasBits(mask, MASK.self) && !canWrite && kind === 'Group' && objectType === MEMBER) yield 'AddSelf';
  if (hasBits(mask, MASK.extendedRight)) yield* extendedOf(kind, objectType, options);
  if (canWrite) yield* writableOf(kind, objectType);
}

function* extendedOf(
  kind: ObjectKind,
  objectType: string | undefined,
  { hasLaps, passwordTypes }: RightsOptions,
): Generator<string> {
  const named = EXTENDED[kind];
  // Of a computer, such rights are of use for its password only.
  if (named === undefined || (kind === 'Computer' && !hasLaps)) return;
  if (objectType === undefined) yield 'AllExtendedRights';
  else if (named[objectType] !== undefined) yield named[objectType];
  else if (kind === 'Computer' && passwordTypes.has(objectType)) yield 'ReadLAPSPassword';
}

function* writableOf(kind: ObjectKind, objectType: string | undefined): Generator<string> {
  if (objectType === undefined && kind !== 'Container') yield 'GenericWrite';
  const name = objectType === undefined ? undefined : WRITABLE[kind]?.[objectType];
  if (name !== undefined) yield name;
}
