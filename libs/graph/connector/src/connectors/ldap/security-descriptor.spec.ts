import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AccessEntryBytes as Ace, ANN_SID as ANN, descriptorBytes } from '#graph/testing';
import { DomainError } from '#platform/foundation';
import { CLASS_GUIDS, type ObjectKind, rightsOn } from './access-rights.ts';
import { parseSecurityDescriptor } from './security-descriptor.ts';

/** O:BAG:BAD:(A;;FA;;;SY)(A;ID;0x1200a9;;;BU), part by part as MS-DTYP has it: of a file on Windows. */
const PUBLISHED = Buffer.from(
  [
    '01000480', // revision, reserved, control: self-relative, with an access list
    '14000000' + '24000000' + '00000000' + '34000000', // owner, group, no audit list, access list
    '0102000000000005' + '20000000' + '20020000', // S-1-5-32-544
    '0102000000000005' + '20000000' + '20020000',
    '02003400' + '02000000', // revision, size 52, 2 entries
    '00001400' + 'ff011f00' + '0101000000000005' + '12000000', // S-1-5-18
    '00101800' + 'a9001200' + '0102000000000005' + '20000000' + '21020000', // S-1-5-32-545
  ].join(''),
  'hex',
); // prettier-ignore

const descriptor = (aces: readonly Ace[]): Buffer => descriptorBytes(aces, 'S-1-5-21-1-2-3-512');
const LAPS = '11111111-2222-3333-4444-555555555555';

function namesOn(kind: ObjectKind, aces: readonly Ace[], hasLaps = true): readonly string[] {
  const options = { hasLaps, passwordTypes: new Set([LAPS]) };
  const rights = rightsOn(kind, parseSecurityDescriptor(descriptor(aces)), options);
  return rights
    .filter(({ sid }) => sid === ANN)
    .map(({ right, isInherited }) => (isInherited ? `${right} (inherited)` : right));
}

describe('a security descriptor', () => {
  it('has its owner and the entries that grant access', () => {
    const all = { objectType: undefined, inheritedType: undefined, isInheritOnly: false };

    expect(parseSecurityDescriptor(PUBLISHED)).toEqual({
      owner: 'S-1-5-32-544',
      conditionalCount: 0,
      grants: [
        { ...all, sid: 'S-1-5-18', mask: 0x1f01ff, isInherited: false },
        { ...all, sid: 'S-1-5-32-545', mask: 0x1200a9, isInherited: true },
      ],
    });
  });

  it('without an access list is open to everyone', () => {
    const bytes = Buffer.concat([Buffer.of(1, 0, 4, 0x80), Buffer.alloc(16)]);

    expect(
      rightsOn('Group', parseSecurityDescriptor(bytes), { hasLaps: false, passwordTypes: new Set() }),
    ).toEqual([{ sid: 'S-1-1-0', right: 'GenericAll', isInherited: false }]);
  });

  it('has no entries that deny, audit or depend on a condition', () => {
    const parsed = parseSecurityDescriptor(
      descriptor([1, 2, 6, 9, 11, 17].map((type) => ({ type, mask: 0xf01ff }))),
    );

    expect([parsed.grants, parsed.conditionalCount]).toEqual([[], 2]);
  });

  it('that is damaged anywhere is refused, or is another descriptor', () => {
    const whole = descriptor([{ mask: 0x100, objectType: LAPS, inheritedType: LAPS }, { mask: 1 }]);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, byte, length) => {
        const bytes = Buffer.from(whole.subarray(0, length));
        if (at < length) bytes[at] = byte;
        try {
          parseSecurityDescriptor(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
        }
      }),
    );
    expect(() => parseSecurityDescriptor(whole.subarray(0, -1))).toThrow('a whole access list');
    expect(() => parseSecurityDescriptor(Buffer.alloc(19))).toThrow('expected a security descriptor');
    expect(() => parseSecurityDescriptor(Buffer.of(1, ...Buffer.alloc(19)))).toThrow(
      'a self-relative descriptor',
    );
  });

  it('is refused for any other bytes, or is one', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (given) => {
        const bytes = Buffer.concat([Buffer.of(1, 0, 4, 0x80), Buffer.from(given)]);
        try {
          parseSecurityDescriptor(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
        }
      }),
    );
  });
});

describe('rights on an object', () => {
  const CHANGES = '1131f6aa-9c07-11d1-f79f-00c04fc2dcd2';
  const MEMBER = 'bf9679c0-0de6-11d0-a285-00aa003049e2';
  const PASSWORD = '00299570-246d-11d0-a768-00aa006e0529';
  const ACT = '3f78c3e5-f79a-46bd-a0b8-9d18116ddc79';
  const KEYS = '5b47d60f-6090-40b2-9f37-2a4de88f3063';
  const OTHER = '00000001-0000-0000-0000-000000000000';
  const NONE = '00000000-0000-0000-0000-000000000000';

  it.each<[string, ObjectKind, readonly Ace[], readonly string[]]>([
    ['everything', 'Container', [{ mask: 0xf01ff }], ['GenericAll']],
    ['everything, as a generic right', 'GPO', [{ mask: 0x10000000 }], ['GenericAll']],
    ['everything of one property only', 'User', [{ mask: 0xf01ff, objectType: MEMBER }], []],
    ['its list and owner', 'Container', [{ mask: 0xc0000 }], ['WriteDacl', 'WriteOwner']],
    ['writing any property', 'Group', [{ mask: 0x20 }], ['GenericWrite']],
    ['writing, as a generic right', 'User', [{ mask: 0x40000000 }], ['GenericWrite']],
    ['writing any property of a container', 'Container', [{ mask: 0x20 }], []],
    ['writing all properties, by no GUID', 'OU', [{ mask: 0x20, objectType: NONE }], ['GenericWrite']],
    ['members', 'Group', [{ mask: 0x20, objectType: MEMBER }], ['AddMember']],
    ['itself as a member', 'Group', [{ mask: 0x8, objectType: MEMBER }], ['AddSelf']],
    ['a new password', 'User', [{ mask: 0x100, objectType: PASSWORD }], ['ForceChangePassword']],
    ['all extended rights', 'User', [{ mask: 0x100 }], ['AllExtendedRights']],
    ['extended rights of a group', 'Group', [{ mask: 0x100 }], []],
    ['replication', 'Domain', [{ mask: 0x100, objectType: CHANGES }], ['GetChanges']],
    ['the password of LAPS', 'Computer', [{ mask: 0x110, objectType: LAPS }], ['ReadLAPSPassword']],
    ['delegation to a computer', 'Computer', [{ mask: 0x20, objectType: ACT }], ['AddAllowedToAct']],
    ['keys', 'Computer', [{ mask: 0x20, objectType: KEYS }], ['AddKeyCredentialLink']],
    ['another property', 'User', [{ mask: 0x20, objectType: OTHER }], []],
    ['reading', 'User', [{ mask: 0x20094 }], []],
    ['objects below it', 'OU', [{ mask: 0xf01ff, flags: 0x0a }], []],
    ['its class, by inheritance', 'User', [{ mask: 0xf01ff, flags: 0x10, inheritedType: CLASS_GUIDS.User }], ['GenericAll (inherited)']],
    ['another class, by inheritance', 'User', [{ mask: 0xf01ff, flags: 0x10, inheritedType: CLASS_GUIDS.Group }], []],
    ['itself', 'User', [{ mask: 0xf01ff, sid: 'S-1-5-10' }], []],
  ])('have the names of BloodHound for %s', (_, kind, aces, expected) => {
    expect(namesOn(kind, aces)).toEqual(expected);
  });

  it('of a computer without LAPS include no password', () => {
    expect(namesOn('Computer', [{ mask: 0x100 }, { mask: 0x100, objectType: LAPS }], false)).toEqual([]);
  });
}); // prettier-ignore
