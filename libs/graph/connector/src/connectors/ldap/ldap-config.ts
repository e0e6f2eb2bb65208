import {
  type ConfigOf,
  fileField,
  integerField,
  listField,
  optionalTextField,
  secretField,
  switchField,
  textField,
} from '../../config/config-field.ts';

export const LDAP_CONFIG = {
  url: textField({ about: 'ldap://host:389 or ldaps://host:636' }),
  start_tls: switchField({ about: 'upgrade the connection to TLS before the login', fallback: false }),
  ca_file: { ...fileField({ about: 'certificate authority in PEM, relative to this file' }), fallback: '' },
  bind_dn: optionalTextField('who logs in; left out: anonymous'),
  password_env: secretField('environment variable with the password'),
  base_dn: textField({ about: 'base of the search: dc=corp,dc=example' }),
  user_filter: textField({
    about: 'filter of user entries',
    // Active Directory's computers and contacts are persons, without these identifiers. A negation of a class
    // that the server does not know would match nothing.
    fallback:
      '(|(&(objectClass=person)(|(entryUUID=*)(nsUniqueId=*)))(objectClass=inetOrgPerson)(objectClass=account)' +
      '(objectClass=posixAccount)(objectClass=simpleSecurityObject)(&(objectClass=user)(!(objectClass=computer))))',
  }),
  group_filter: textField({
    about: 'filter of group entries',
    fallback:
      '(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup)(objectClass=group))',
  }),
  member_attributes: listField({
    about: 'attributes with the members of a group: names of entries, or uids in memberUid',
    fallback: ['member', 'uniqueMember', 'memberUid', 'roleOccupant'],
  }),
  dynamic_groups: switchField({ about: 'search the members of each groupOfURLs', fallback: false }),
  rights: switchField({
    about:
      'of a domain of Active Directory: computers, units and policies, and who may do what with each object',
    fallback: false,
  }),
  page_size: integerField({ about: 'page size', fallback: 500 }, 1, 100_000),
  timeout_ms: integerField({ about: 'maximum wait for a response', fallback: 30_000 }, 1, 3_600_000),
};

export type LdapConfig = ConfigOf<typeof LDAP_CONFIG>;
