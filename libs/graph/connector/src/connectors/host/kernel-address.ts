/** Addresses as the kernel writes them in /proc/net: four bytes at a time, in the order of the machine. */

/** `0100007F` is 127.0.0.1. */
export function ipv4Of(digits: string): string {
  return bytesOf(digits).reverse().join('.');
}

/** Of /proc/net/tcp6: each four bytes are reversed. */
export function ipv6OfSocket(digits: string): string {
  return ipv6Of(digits.replaceAll(/.{8}/g, (word) => (word.match(/../g) ?? []).reverse().join('')));
}

/** The shortest spelling (RFC 5952) of 32 digits in the order of the network. */
export function ipv6Of(digits: string): string {
  const groups = (digits.match(/.{4}/g) ?? []).map((group) => group.toLowerCase().replace(/^0{1,3}/, ''));
  const text = groups.join(':');
  const zeros = [...text.matchAll(/(?<![^:])0(?::0)+(?![^:])/g)].sort((a, b) => b[0].length - a[0].length);
  const [longest] = zeros;
  if (longest === undefined) return text;
  const before = text.slice(0, longest.index).replace(/:$/, '');
  const after = text.slice(longest.index + longest[0].length).replace(/^:/, '');
  return `${before}::${after}`;
}

function bytesOf(digits: string): number[] {
  return (digits.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
}
