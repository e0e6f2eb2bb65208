import { describe, expect, it } from '@jest/globals';
import { PublicAddress } from './public-address.ts';
import { cookieOf, type CookieRequest, isOfPage, setCookie } from './session-cookies.ts';

const DIRECT = PublicAddress.parse('');

function request(parts: Partial<CookieRequest> = {}): CookieRequest {
  return { protocol: 'http', host: 'localhost:7700', ip: '127.0.0.1', method: 'GET', headers: {}, ...parts };
}

describe('cookies of pages', () => {
  it('are for TLS only, and for this host only', () => {
    const secure = request({ protocol: 'https', host: 'plexus.example', ip: '10.0.0.7' });

    expect(setCookie('session', 'a.b', DIRECT.isTls(secure))).toBe(
      '__Host-plexus-session=a.b; Path=/; HttpOnly; SameSite=Lax; Secure',
    );
    expect(setCookie('session', undefined, true)).toBe(
      '__Host-plexus-session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0',
    );
    const headers = { cookie: 'plexus-session=plain; __Host-plexus-session=a.b' };
    expect(cookieOf('session', { ...secure, headers }, DIRECT)).toBe('a.b');
  });

  it.each<[boolean, Partial<CookieRequest>]>([
    [true, {}],
    [true, { host: '[::1]:7700', ip: '::1' }],
    [true, { host: '127.0.0.1:7700', ip: '::ffff:127.0.0.1' }],
    [false, { host: 'plexus.example' }],
    [false, { host: 'localhost.plexus.example' }],
    [false, { ip: '10.0.0.7' }],
    [false, { host: 'plexus.example', ip: '10.0.0.7' }],
    [false, { host: '' }],
    [false, { host: 'x@localhost y' }],
  ])('are there without TLS on this machine only: %j, %j', (isThere, parts) => {
    const headers = { cookie: 'plexus-session=a.b' };

    expect(DIRECT.mayHaveCookies(request(parts))).toBe(isThere);
    expect(cookieOf('session', request({ ...parts, headers }), DIRECT)).toBe(isThere ? 'a.b' : undefined);
  });

  it('are for TLS where something in front of the service ends it', () => {
    const address = PublicAddress.parse('https://plexus.example');
    const inside = request({ host: 'node-1:7700', ip: '10.0.0.7' });
    const headers = { cookie: '__Host-plexus-session=a.b; plexus-session=plain' };

    expect([address.originOf(inside), address.isTls(inside)]).toEqual(['https://plexus.example', true]);
    expect(cookieOf('session', { ...inside, headers }, address)).toBe('a.b');
  });

  it('are not for an address without TLS of another machine', () => {
    const address = PublicAddress.parse('http://plexus.example:8080');
    const headers = { cookie: 'plexus-session=a.b' };

    expect(cookieOf('session', request({ headers }), address)).toBeUndefined();
  });

  it.each([
    'plexus.example',
    'https://plexus.example/x',
    'ftp://plexus.example',
    'https://a:b@plexus.example',
    'https://plexus.example?x',
  ])('have no address such as %s', (text) => {
    expect(() => PublicAddress.parse(text)).toThrow('PLEXUS_PUBLIC_URL: expected an address without a path');
  });

  it.each([
    ['', undefined],
    ['plexus-session=a', 'a'],
    ['x=1; plexus-session=a;y=2', 'a'],
    ['plexus-session=a; plexus-session=b', undefined],
    ['xplexus-session=a', undefined],
    ['Plexus-Session=a', undefined],
  ])('are read from %j as %j', (cookie, value) => {
    expect(cookieOf('session', request({ headers: { cookie } }), DIRECT)).toBe(value);
  });

  it.each<[boolean, Partial<CookieRequest>]>([
    [true, { method: 'GET' }],
    [true, { method: 'HEAD' }],
    [false, { method: 'POST' }],
    [false, { method: 'DELETE', headers: { 'sec-fetch-site': 'same-origin' } }],
    [true, { method: 'PUT', headers: { 'x-plexus-page': '1' } }],
    [true, { method: 'PUT', headers: { 'x-plexus-page': '1', 'sec-fetch-site': 'same-origin' } }],
    [false, { method: 'PUT', headers: { 'x-plexus-page': '1', 'sec-fetch-site': 'cross-site' } }],
    [false, { method: 'PUT', headers: { 'x-plexus-page': '1', 'sec-fetch-site': 'none' } }],
  ])('change something only with the header of the page: %j, %j', (isOwn, parts) => {
    expect(isOfPage(request(parts))).toBe(isOwn);
  });
});
