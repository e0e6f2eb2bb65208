import { lookup } from 'node:dns';
import { isIP } from 'node:net';

/** All IP addresses of a name, without order; rejects when there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** As the system does it: `/etc/hosts` first. */
export const systemResolve: Resolve = (name) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(Array.from(new Set(found.map(({ address }) => address))).sort());
    });
  });

/** Whether there is nothing to resolve. */
export function isAddress(host: string): boolean {
  return isIP(host) !== 0;
}
