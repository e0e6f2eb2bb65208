import { isIP, isIPv4, isIPv6 } from 'node:net';
import { type Shape, string } from '#platform/config';
import { parsedText } from './parsed-shape.ts';
import type { AddressBlock, HostPort } from './proxy-config.ts';

const LABEL = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
const NAME = new RegExp(`^(?=.{1,254}$)(?:${LABEL}\\.)*${LABEL}\\.?$`);
/** The system may parse a host that ends in a number as an IPv4 address: no top-level domain is a number. */
const NUMBER_AT_END = /(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/i;
const PORT_MAX = 65_535;

/** `host:port`, with an IPv6 address in brackets. With `anyPort` the port may be 0: any free one. */
export function hostPort({ anyPort = false }: { readonly anyPort?: boolean } = {}): Shape<HostPort> {
  const expects = `an address such as 127.0.0.1:9000, [::1]:9000 or name:9000`;
  return parsedText(anyPort ? `${expects}, with port 0 for any` : expects, (text) => {
    const address = parseHostPort(text);
    return address !== undefined && (anyPort || address.port > 0) ? address : undefined;
  });
}

/** Undefined for an invalid address. Port 0 is valid. */
export function parseHostPort(text: string): HostPort | undefined {
  const [, bracketed, plain = '', digits = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const host = bracketed ?? plain;
  const isHost = bracketed === undefined ? isHostName(host) : isIPv6(host) && !host.includes('%');
  return isHost && digits !== '' && port <= PORT_MAX ? Object.freeze({ host, port, text }) : undefined;
}

/** A name or an IPv4 address. */
export function isHostName(text: string): boolean {
  return isIPv4(text) || (NAME.test(text) && !NUMBER_AT_END.test(text));
}

/** `10.0.0.0/8`, `fd00::/8`, or a single address. */
export function addressBlock(): Shape<AddressBlock> {
  return parsedText('an IP address or a block such as 10.0.0.0/8', (text) => {
    const [, address = '', digits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const width = family === 'ipv6' ? 128 : 32;
    const bits = digits === undefined ? width : Number(digits);
    return isIP(address) === 0 || bits > width ? undefined : Object.freeze({ address, bits, family });
  });
}

/** Name of a listener or cluster: safe in labels, headers and paths. */
export function name(): Shape<string> {
  return string(
    'a name of at most 64 letters, digits, dots, dashes and underscores, with a letter or digit first',
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  );
}

/** A name as in TLS and Host headers; converted to lower case. */
export function hostName(): Shape<string> {
  return parsedText('a host name', (text) => (isHostName(text) ? text.toLowerCase() : undefined));
}

/** The hosts of a route, in lower case and without a trailing dot: `*`, `*.suffix`, or one host. */
export function hostPattern(): Shape<string> {
  return parsedText('a host such as api.example.com, *.example.com or *, without a port', (text) => {
    const pattern = text.toLowerCase().replace(/(?<=.)\.$/, '');
    const isAddress = /^\[[0-9a-f:.]+\]$/.test(pattern);
    return pattern === '*' || isAddress || isHostName(pattern.replace(/^\*\./, '')) ? pattern : undefined;
  });
}
