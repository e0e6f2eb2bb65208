import {
  type ConfigOf,
  fileField,
  integerField,
  optionalTextField,
  secretField,
  switchField,
  textField,
} from '../../config/config-field.ts';

export const LDAP_CONFIG = {
  url: textField({ about: 'ldap://host:389 or ldaps://host:636' }),
  start_tls: switchField({ about: 'turn a plain connection into an encrypted one first', fallback: false }),
  ca_file: { ...fileField({ about: 'certificate authority in PEM, relative to this file' }), fallback: '' },
  bind_dn: optionalTextField('who logs in; left out: anonymous'),
  password_env: secretField('environment variable with the password'),
  base_dn: textField({ about: 'where the search begins: dc=corp,dc=example' }),
  user_filter: textField({
    about: 'which entries are users',
    fallback:
      '(|(objectClass=inetOrgPerson)(objectClass=posixAccount)(&(objectClass=user)(!(objectClass=computer))))',
  }),
  group_filter: textField({
    about: 'which entries are groups',
    fallback:
      '(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup)(objectClass=group))',
  }),
  page_size: integerField({ about: 'entries of one page', fallback: 500 }, 1, 100_000),
  timeout_ms: integerField({ about: 'longest wait for one answer', fallback: 30_000 }, 1, 3_600_000),
};

export type LdapConfig = ConfigOf<typeof LDAP_CONFIG>;
