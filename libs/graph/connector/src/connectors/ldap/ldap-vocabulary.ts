import type { Vocabulary } from '../../config/vocabulary.ts';
import { RIGHT_VERBS } from './domain-rights.ts';

const ACCOUNT = 'allowedtodelegate samaccountname sidhistory trustedtoauth unconstraineddelegation';
const DOMAIN_OBJECT = 'description dn domain name objectid sid';
const RIGHT = 'isacl isinherited';
const TRUST = 'isacl spoofsidhistoryblocked tgtdelegation transitive trusttype';
const RIGHT_SENTENCES: Readonly<Record<string, string>> = Object.fromEntries(
  RIGHT_VERBS.map((verb) => [`* ${verb} *`, RIGHT]),
);

/** The last types and all but MEMBER_OF are those of a domain that is read with its rights. */
export const LDAP_VOCABULARY: Vocabulary = {
  entities: {
    user:
      'active department description dn domain email employee_type first_name gid_number last_name name objectid ' +
      `primary_group_id principal sid title uid_number uids ${ACCOUNT}`,
    group: `gid_number samaccountname sidhistory ${DOMAIN_OBJECT}`,
    computer: `active dns_name is_dc operating_system primary_group_id ${ACCOUNT} ${DOMAIN_OBJECT}`,
    domain: DOMAIN_OBJECT,
    ou: DOMAIN_OBJECT,
    gpo: DOMAIN_OBJECT,
    container: DOMAIN_OBJECT,
    base: 'domain objectid sid',
  },
  relationships: {
    'user MEMBER_OF group': '',
    'group MEMBER_OF group': '',
    'computer MEMBER_OF group': '',
    '* MemberOf group': 'isacl',
    ...RIGHT_SENTENCES,
    '* OwnsLimitedRights *': `${RIGHT} privileges`,
    '* WriteOwnerLimitedRights *': `${RIGHT} privileges`,
    '* Contains *': 'isacl',
    '* GPLink *': 'enforced isacl',
    '* AllowedToDelegate *': 'isacl',
    '* CoerceToTGT *': 'isacl',
    '* HasSIDHistory *': 'isacl',
    '* SameForestTrust *': TRUST,
    '* CrossForestTrust *': TRUST,
    '* SpoofSIDHistory *': 'isacl trusttype',
    '* AbuseTGTDelegation *': 'isacl trusttype',
  },
};
