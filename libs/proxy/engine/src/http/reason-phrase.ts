/**
 * The reason in an upstream's status line, as it can be passed on: bytes of UTF-8 and Latin-1 stay, and what
 * no header may have becomes a question mark. Hot path: most have nothing to clean.
 */
const PLAIN = /^[\t\x20-\x7e]*$/;
const UNFIT = /[^\t\x20-\x7e\x80-\xff]/g;
/** What undici makes of bytes that are no UTF-8. */
const REPLACEMENT = '\ufffd';

export function cleanReason(reason: string): string {
  if (PLAIN.test(reason)) return reason;
  return Buffer.from(reason.replaceAll(REPLACEMENT, '?'), 'utf8').toString('latin1').replace(UNFIT, '?');
}
