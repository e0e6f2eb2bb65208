import { describe, expect, it } from '@jest/globals';
import { parseHostPort } from '../host-shapes.ts';
import { type Machine, parseHosts } from '../machine.ts';
import type { HostPort } from '../proxy-config.ts';
import { leadsTo } from './reach.ts';

const HOSTS = parseHosts(`
127.0.0.1  localhost
::1        localhost ip6-localhost   # both
10.1.2.3   Box.internal box
10.9.9.9   far
not-an-address  nothing
`);
const MACHINE: Machine = {
  addresses: ['10.1.2.3', 'fe80::1'],
  addressesOf: (name) => HOSTS.get(name) ?? [],
};

const at = (text: string): HostPort => {
  const parsed = parseHostPort(text);
  if (parsed === undefined) throw new Error(`no address: ${text}`);
  return parsed;
};

describe('reaches', () => {
  it.each([
    ['127.0.0.1:80', '127.0.0.1:80'],
    ['localhost:80', '127.0.0.1:80'],
    ['LOCALHOST.:80', '0.0.0.0:80'],
    ['localhost:80', '[::1]:80'],
    ['127.8.9.1:80', '0.0.0.0:80'],
    ['127.8.9.1:80', '[::]:80'],
    ['ip6-localhost:80', '[::]:80'],
    ['[0:0:0:0:0:0:0:1]:80', '[::1]:80'],
    ['[::ffff:127.0.0.1]:80', '127.0.0.1:80'],
    ['0.0.0.0:80', '127.0.0.1:80'],
    ['[::]:80', '[::1]:80'],
    ['10.1.2.3:80', '0.0.0.0:80'],
    ['box.INTERNAL:80', '0.0.0.0:80'],
    ['box:80', '[::]:80'],
    ['box:80', 'box:80'],
    ['[fe80::1]:80', '[::]:80'],
  ])('%s reaches a listener at %s', (endpoint, listener) => {
    expect(leadsTo(at(endpoint), at(listener), MACHINE)).toBe(true);
  });

  it.each([
    ['127.0.0.1:80', '127.0.0.1:81'],
    ['127.0.0.2:80', '127.0.0.1:80'],
    ['[::1]:80', '0.0.0.0:80'],
    ['ip6-localhost:80', '127.0.0.1:80'],
    ['10.9.9.9:80', '0.0.0.0:80'],
    ['far:80', '[::]:80'],
    ['unknown.example:80', '0.0.0.0:80'],
    ['10.1.2.3:80', '127.0.0.1:80'],
    ['127.0.0.1:0', '127.0.0.1:0'],
  ])('%s does not reach a listener at %s', (endpoint, listener) => {
    expect(leadsTo(at(endpoint), at(listener), MACHINE)).toBe(false);
  });
});
