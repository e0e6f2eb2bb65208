/** What a Host header may be made of. Hot path: one look at each character. */

/** Letters, digits, and what names, ports and IPv6 addresses need; no user, no path, no list, no space. */
const IS_HOST_CHARACTER = new Uint8Array(128);
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:[]%') {
  IS_HOST_CHARACTER[character.charCodeAt(0)] = 1;
}

export function isHost(text: string): boolean {
  if (text.length === 0) return false;
  for (let index = 0; index < text.length; index++) {
    if (IS_HOST_CHARACTER[text.charCodeAt(index)] !== 1) return false;
  }
  return true;
}
