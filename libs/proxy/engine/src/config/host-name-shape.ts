import type { Shape } from '#platform/config';
import { isHostName } from './host-port-shape.ts';
import { parsedText } from './parsed-shape.ts';

/** A name, as TLS and Host headers have it; in lower case. */
export function hostName(): Shape<string> {
  return parsedText('a host name', (text) => (isHostName(text) ? text.toLowerCase() : undefined));
}

/** What hosts a route is for, in lower case and without the dot of the root: `*`, `*.suffix`, or one host. */
export function hostPattern(): Shape<string> {
  return parsedText('a host such as api.example.com, *.example.com or *, without a port', (text) => {
    const pattern = text.toLowerCase().replace(/(?<=.)\.$/, '');
    const isAddress = /^\[[0-9a-f:.]+\]$/.test(pattern);
    return pattern === '*' || isAddress || isHostName(pattern.replace(/^\*\./, '')) ? pattern : undefined;
  });
}
