import { describe, expect, it } from '@jest/globals';
import { BrowserGate } from './browser-gate.ts';

type Headers = Readonly<Record<string, string>>;

const gate = new BrowserGate({
  boundHost: 'Plexus.internal',
  allowedHosts: ['load.example', 'other.example'],
});
const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

function codeOf(method: string, headers: Headers): string | undefined {
  const fault = gate.faultOf({ method, headers });
  if (fault !== undefined) expect(fault.message).toContain('PLEXUS_ALLOWED_HOSTS');
  return fault?.code;
}

/** A same-origin request, so that only the host decides. */
const ownPage = (host: string): Headers => ({
  host,
  origin: `http://${host}`,
  'sec-fetch-site': 'same-origin',
});

describe('BrowserGate', () => {
  it.each<[string, Headers]>([
    ['an unmarked request', { host: 'localhost:7700' }],
    ['an unmarked request to any name', { host: 'rebound.example' }],
    ['an unmarked request without a host', {}],
    ['a request of Node’s own fetch', { host: 'rebound.example', 'sec-fetch-mode': 'cors' }],
    ['its own page', ownPage('localhost:7700')],
    ['its own page at an address', ownPage('127.0.0.1:7700')],
    ['its own page at an address of version 6', ownPage('[::1]:7700')],
    ['its own page at an address of the network', ownPage('10.1.2.3:7700')],
    ['its own page at the bound host', ownPage('plexus.internal:7700')],
    ['its own page at an allowed host', ownPage('load.example')],
    ['its own page in capitals', { host: 'LOAD.example:80', origin: 'http://load.example' }],
    ['its own page behind TLS', { host: 'load.example', origin: 'https://load.example' }],
    ['its own page behind TLS, with its port', { host: 'load.example:443', origin: 'https://load.example' }],
    ['a typed address', { host: 'localhost', 'sec-fetch-site': 'none', ...NAVIGATION }],
    ['a link from elsewhere', { host: 'localhost', 'sec-fetch-site': 'cross-site', ...NAVIGATION }],
    ['a page of the same site without an origin', { host: 'localhost:1', 'sec-fetch-site': 'same-site' }],
  ])('serves %s', (_what, headers) => {
    expect(codeOf('GET', headers)).toBeUndefined();
  });

  it.each<[string, Headers]>([
    ['a page elsewhere', { host: 'localhost:7700', origin: 'https://evil.example' }],
    ['a page elsewhere that hides its origin', { host: 'localhost:7700', origin: 'null' }],
    ['a page on another port', { host: 'localhost:7700', origin: 'http://localhost:3000' }],
    ['a page on the port of another scheme', { host: 'load.example:80', origin: 'https://load.example' }],
    ['an invalid origin', { host: 'localhost:7700', origin: 'localhost:7700' }],
    ['an origin of a file', { host: 'localhost:7700', origin: 'file://' }],
    ['another site', { host: 'localhost:7700', 'sec-fetch-site': 'cross-site' }],
    [
      'another site that claims this origin',
      { host: 'localhost', origin: 'http://localhost', 'sec-fetch-site': 'cross-site' },
    ],
    ['a rebound name', ownPage('rebound.example:7700')],
    ['a rebound name that begins with an allowed one', ownPage('load.example.evil.example')],
    ['a name that ends in an allowed one', ownPage('evil-load.example')],
    ['a name that looks like an address', ownPage('127.0.0.1.evil.example')],
    [
      'a number that some parsers read as an address',
      { host: '2130706433', 'sec-fetch-site': 'same-origin' },
    ],
    ['a link to a rebound name', { host: 'rebound.example', 'sec-fetch-site': 'none', ...NAVIGATION }],
    ['no host at all', { 'sec-fetch-site': 'same-origin' }],
    ['a host with a path', { host: 'localhost/x', 'sec-fetch-site': 'same-origin' }],
    ['a host with a user', { host: 'localhost@evil.example', 'sec-fetch-site': 'same-origin' }],
    [
      'a frame from elsewhere',
      { host: 'localhost', 'sec-fetch-site': 'cross-site', ...NAVIGATION, 'sec-fetch-dest': 'iframe' },
    ],
  ])('rejects %s', (_what, headers) => {
    expect(codeOf('GET', headers)).toBe('FORBIDDEN_ORIGIN');
  });

  it('rejects a form posted by another site', () => {
    const headers = { host: 'localhost', 'sec-fetch-site': 'cross-site', ...NAVIGATION };

    expect(codeOf('POST', headers)).toBe('FORBIDDEN_ORIGIN');
  });
});
