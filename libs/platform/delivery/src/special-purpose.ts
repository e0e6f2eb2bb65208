/**
 * Networks that are no part of the public internet: IANA's registries of special-purpose addresses for IPv4
 * and IPv6, state of 2025-10-09, without the entries that are reachable everywhere, and multicast.
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export const SPECIAL_V4: readonly (readonly [string, number])[] = [
  // This network, RFC 791.
  ['0.0.0.0', 8],
  // Private use, RFC 1918.
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  // Shared by carriers, RFC 6598.
  ['100.64.0.0', 10],
  // Loopback, RFC 1122.
  ['127.0.0.0', 8],
  // Link-local, with the metadata services of clouds, RFC 3927.
  ['169.254.0.0', 16],
  // Protocol assignments, RFC 6890; also its two anycast addresses, which no receiver has.
  ['192.0.0.0', 24],
  // Documentation, RFC 5737.
  ['192.0.2.0', 24],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Relays of 6to4, deprecated, RFC 7526.
  ['192.88.99.0', 24],
  // Benchmarking, RFC 2544.
  ['198.18.0.0', 15],
  // Multicast, RFC 5771.
  ['224.0.0.0', 4],
  // Reserved, and broadcast, RFC 1112 and 919.
  ['240.0.0.0', 4],
];

/** Within {@link GLOBAL_UNICAST}; whatever lies outside is special. */
export const SPECIAL_V6: readonly (readonly [string, number])[] = [
  // Protocol assignments, RFC 2928: Teredo, benchmarking, ORCHID, anycast addresses.
  ['2001::', 23],
  // Documentation, RFC 3849 and 9637.
  ['2001:db8::', 32],
  ['3fff::', 20],
  // 6to4, deprecated, RFC 3056: embeds an IPv4 address.
  ['2002::', 16],
];

/**
 * The only range with assigned public addresses, RFC 4291. Outside are, among others: unspecified and
 * loopback (::/127), mapped and compatible IPv4 (::ffff:0:0/96, ::/96), NAT64 (64:ff9b::/96, 64:ff9b:1::/48),
 * discard and dummy (100::/64, 100:0:0:1::/64), segment routing (5f00::/16), unique local (fc00::/7),
 * link-local (fe80::/10), site-local (fec0::/10), multicast (ff00::/8).
 */
export const GLOBAL_UNICAST = ['2000::', 3] as const;

/** The last 32 bits are an IPv4 address, which is judged instead: mapped, and NAT64 with its known prefix. */
export const EMBEDDING_V4: readonly (readonly [string, number])[] = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
];
