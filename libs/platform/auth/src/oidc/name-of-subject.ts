/** Visible ASCII and blanks, since it is a name in logs and in the audit. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** The name of a subject in refusals, logs and the audit. The colon is in no name of a keys file. */
export function nameOfSubject(subject: string): string {
  return `oidc:${subject}`;
}

/** Whether a claim may be a subject. */
export function isSubject(subject: unknown): subject is string {
  return typeof subject === 'string' && SUBJECT.test(subject);
}
