/** Syntax of a Host header (RFC 3986, 3.2.2). Hot path: one check for each character. */

const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const PORT_DIGITS_MAX = 5;
const IP_LITERAL = /^\[[\da-f:.]+(?:%[\w.~-]+)?\](?::\d{0,5})?$/i;

/** Letters, digits, and the other characters of a name; no user, path, list or space. */
const IS_NAME_CHARACTER = new Uint8Array(128);
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%') {
  IS_NAME_CHARACTER[character.charCodeAt(0)] = 1;
}

/** A name or an address, and a port after a colon. */
export function isHost(text: string): boolean {
  if (text.charCodeAt(0) === OPENING_BRACKET) return IP_LITERAL.test(text);
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character === COLON) return index > 0 && isPort(text, index + 1);
    if (IS_NAME_CHARACTER[character] !== 1) return false;
  }
  return text.length > 0;
}

function isPort(text: string, from: number): boolean {
  if (text.length - from > PORT_DIGITS_MAX) return false;
  for (let index = from; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character < 0x30 || character > 0x39) return false;
  }
  return true;
}
