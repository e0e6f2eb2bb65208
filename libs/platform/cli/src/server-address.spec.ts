import { describe, expect, it } from '@jest/globals';
import { Secret } from '#platform/foundation';
import { UsageError } from './failure.ts';
import { serverAddress } from './server-address.ts';

describe('serverAddress', () => {
  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://plexus.example.com/graph//', 'https://plexus.example.com/graph'],
    ['http://[::1]:8080/?x=1#y', 'http://[::1]:8080'],
  ])('takes %s as %s, with the API key', (url, base) => {
    expect(serverAddress(url, undefined)).toEqual({ base, headers: {} });
    expect(serverAddress(url, new Secret('k'))).toEqual({ base, headers: { Authorization: 'Bearer k' } });
  });

  it('sends user and password as Basic, and does not show them', () => {
    expect(serverAddress('http://ops%40x:p%C3%A4ss@host:1/', undefined)).toEqual({
      base: 'http://host:1',
      headers: { Authorization: `Basic ${Buffer.from('ops@x:päss').toString('base64')}` },
    });
  });

  it.each([
    '',
    'host:8080',
    'ftp://correct-horse@host',
    'http://',
    'http://a:%ff@host',
    'http://u:correct-horse@ho st',
  ])('refuses %j without showing it', (url) => {
    const failure = (() => {
      try {
        return serverAddress(url, undefined);
      } catch (error) {
        return error;
      }
    })();

    expect(failure).toBeInstanceOf(UsageError);
    expect(String(failure)).toContain('--url: expected');
    expect(String(failure)).not.toContain('correct-horse');
  });

  it('refuses a password beside an API key', () => {
    expect(() => serverAddress('http://u:p@host', new Secret('k'))).toThrow('not both');
  });
});
