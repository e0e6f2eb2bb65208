/**
 * The meaning of LDAP result codes (RFC 4511, appendix A), since servers often return only the number. Active
 * Directory gives the reason of a failed login as a Windows error code after `data`.
 */
const INVALID_CREDENTIALS = 49;

const MEANING: Readonly<Record<number, string>> = {
  3: 'the server gave up at its time limit',
  4: 'the server gives only some entries: its size limit',
  8: 'the server wants a stronger login',
  10: 'the server refers to another one',
  11: 'the server gives only some entries: a limit of its administrator',
  13: 'the server wants an encrypted connection',
  32: 'there is no such entry: base_dn',
  34: 'the server takes a name for malformed: base_dn or bind_dn',
  48: 'the server does not let this name log in so',
  [INVALID_CREDENTIALS]: 'the server refuses the credentials',
  50: 'the login may not read this',
  51: 'the server is busy',
  52: 'the server is unavailable',
  53: 'the server is unwilling',
};

const LOGIN_REFUSED: Readonly<Record<string, string>> = {
  525: 'there is no such user',
  '52e': 'wrong name or password',
  530: 'no login at this time',
  531: 'no login from here',
  532: 'the password has expired',
  533: 'the account is disabled',
  701: 'the account has expired',
  773: 'the password has to be changed first',
  775: 'the account is locked',
};

/** The failure of a request that the server refused: the meaning of the code, and the server's message. */
export function refusal(code: number, diagnostic: string): Error {
  const meaning = MEANING[code] ?? 'the server refuses';
  const why =
    code === INVALID_CREDENTIALS
      ? LOGIN_REFUSED[/\bdata ([0-9a-f]+)/.exec(diagnostic)?.[1] ?? '']
      : undefined;
  const text = why === undefined ? meaning : `${meaning}: ${why}`;
  const details = diagnostic === '' ? `LDAP ${code}` : `LDAP ${code}, ${diagnostic}`;
  return new Error(`${text} (${details})`);
}
