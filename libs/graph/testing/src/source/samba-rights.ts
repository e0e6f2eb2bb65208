/**
 * Rights for a domain of Samba, in the language that Samba itself reads (SDDL), and Samba's own reading of
 * all access lists.
 */

const HEAD = `
import base64, json, sys
from ldb import Dn, FLAG_MOD_ADD, FLAG_MOD_REPLACE, Message, MessageElement, SCOPE_BASE, SCOPE_SUBTREE
from samba.auth import system_session
from samba.dcerpc import security
from samba.ndr import ndr_pack, ndr_unpack
from samba.param import LoadParm
from samba.samdb import SamDB
lp = LoadParm()
lp.load(sys.argv[1])
db = SamDB(session_info=system_session(), lp=lp)
base = str(db.domain_dn())
domain = security.dom_sid(db.get_domain_sid())
ACL = ['sd_flags:1:7']
`;

/**
 * The user `helper` may: reset the password of `victim` in the unit `staff`, add members to `admins`, change
 * the list of `staff` and of what it contains, copy the domain's passwords, do everything with the computer
 * `pc`, and act on it for others. `admins` owns `victim`.
 * `helper` is trusted for delegation, also to services of `pc`, and had another identifier; the domain trusts
 * `other.test`.
 */
export const PLANT_RIGHTS = `${HEAD}
def sid_of(name):
    found = db.search(base, SCOPE_SUBTREE, '(sAMAccountName=%s)' % name, ['objectSid'])
    return str(ndr_unpack(security.dom_sid, found[0]['objectSid'][0]))
def grant(dn, aces, owner=None):
    found = db.search(dn, SCOPE_BASE, attrs=['nTSecurityDescriptor'], controls=ACL)
    sddl = ndr_unpack(security.descriptor, found[0]['nTSecurityDescriptor'][0]).as_sddl(domain)
    head, rest = sddl.split('D:', 1)
    flags, entries = rest.split('(', 1)
    if owner is not None:
        head = 'O:' + owner + head[head.index('G:'):]
    text = head + 'D:' + flags + aces + '(' + entries
    change = Message(Dn(db, dn))
    packed = ndr_pack(security.descriptor.from_sddl(text, domain))
    change['acl'] = MessageElement(packed, FLAG_MOD_REPLACE, 'nTSecurityDescriptor')
    db.modify(change, controls=ACL)
unit, users = 'OU=staff,' + base, 'CN=Users,' + base
victim, admins, pc = 'CN=victim,' + unit, 'CN=admins,' + users, 'CN=pc,CN=Computers,' + base
db.add({'dn': unit, 'objectClass': 'organizationalUnit'})
db.add({'dn': 'CN=helper,' + users, 'objectClass': 'user', 'sAMAccountName': 'helper'})
db.add({'dn': victim, 'objectClass': 'user', 'sAMAccountName': 'victim'})
db.add({'dn': admins, 'objectClass': 'group', 'sAMAccountName': 'admins'})
db.add({'dn': pc, 'objectClass': 'computer', 'sAMAccountName': 'pc$', 'userAccountControl': '4096'})
helper = sid_of('helper')
change = '(OA;;CR;%s;;' + helper + ')'
grant(unit, '(A;CI;WD;;;%s)' % helper)
grant(victim, change % '00299570-246d-11d0-a768-00aa006e0529', sid_of('admins'))
grant(admins, '(OA;;WP;bf9679c0-0de6-11d0-a285-00aa003049e2;;%s)' % helper)
grant(base, ''.join(change % guid for guid in
    ['1131f6aa-9c07-11d1-f79f-00c04fc2dcd2', '1131f6ad-9c07-11d1-f79f-00c04fc2dcd2']))
grant(pc, '(A;;GA;;;%s)' % helper)
act = Message(Dn(db, pc))
acting = security.descriptor.from_sddl('O:BAD:(A;;0xf01ff;;;%s)' % helper, domain)
act['list'] = MessageElement(ndr_pack(acting), FLAG_MOD_ADD, 'msDS-AllowedToActOnBehalfOfOtherIdentity')
db.modify(act)
# What systems write only: former identifiers and trusts.
relaxed = ['relax:0', 'local_oid:1.3.6.1.4.1.7165.4.3.16:0']
way = Message(Dn(db, 'CN=helper,' + users))
way['to'] = MessageElement(['cifs/pc.plexus.test', 'http/pc'], FLAG_MOD_ADD, 'msDS-AllowedToDelegateTo')
way['control'] = MessageElement(str(0x200 + 0x80000), FLAG_MOD_REPLACE, 'userAccountControl')
way['sids'] = MessageElement(ndr_pack(security.dom_sid('S-1-5-21-8-8-8-1001')), FLAG_MOD_ADD, 'sIDHistory')
db.modify(way, controls=relaxed)
db.add({'dn': 'CN=other.test,CN=System,' + base, 'objectClass': 'trustedDomain', 'trustPartner': 'other.test',
    'flatName': 'OTHER', 'trustDirection': '3', 'trustType': '2', 'trustAttributes': '0',
    'securityIdentifier': ndr_pack(security.dom_sid('S-1-5-21-7-7-7'))}, controls=relaxed)
`;

/** What Samba reads of the access list of each object below the domain, as JSON. */
export const READ_RIGHTS = `${HEAD}
found = db.search(base, SCOPE_SUBTREE, '(objectClass=*)', ['nTSecurityDescriptor'], controls=ACL)
lists = []
for entry in found:
    raw = entry['nTSecurityDescriptor'][0]
    parsed = ndr_unpack(security.descriptor, raw)
    grants = []
    for ace in parsed.dacl.aces:
        if ace.type not in (0, 5):
            continue
        types = ace.object.flags if ace.type == 5 else 0
        grants.append({
            'sid': str(ace.trustee), 'mask': ace.access_mask & 0xffffffff,
            'isInherited': bool(ace.flags & 0x10), 'isInheritOnly': bool(ace.flags & 0x08),
            'objectType': str(ace.object.type) if types & 1 else None,
            'inheritedType': str(ace.object.inherited_type) if types & 2 else None,
        })
    lists.append({'bytes': base64.b64encode(raw).decode(), 'owner': str(parsed.owner_sid), 'grants': grants})
print(json.dumps(lists))
`;

/** One access list as Samba reads it. */
export interface SambaAccessList {
  /** The descriptor, in base64. */
  readonly bytes: string;
  readonly owner: string;
  readonly grants: readonly {
    readonly sid: string;
    readonly mask: number;
    readonly isInherited: boolean;
    readonly isInheritOnly: boolean;
    readonly objectType: string | null;
    readonly inheritedType: string | null;
  }[];
}
