import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { freePort } from '#testing';
import { breakReasonOf, failureCodeOf, failureReasonOf } from './upstream-failure.ts';

const coded = (code: string, options?: ErrorOptions): Error =>
  Object.assign(new Error('a fault', options), { code });

describe('failureReasonOf', () => {
  let server: Server;

  beforeAll(async () => {
    server = createServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(() => {
    server.close();
  });

  it.each([
    ['CERT_HAS_EXPIRED', 'certificate_expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate_wrong_name'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate_unknown_issuer'],
    ['HPE_INVALID_CONSTANT', 'protocol'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'protocol'],
    ['ENOTFOUND', 'dns'],
    ['ETIMEDOUT', 'connect_timeout'],
    ['EMFILE', 'no_free_place'],
    ['UND_ERR_SOCKET', 'reset'],
  ])('returns for %s: %s', (code, reason) => {
    expect(failureReasonOf(coded(code))).toBe(reason);
  });

  it('returns the cause of an error without a code', () => {
    const fault = coded('UND_ERR_SOCKET', { cause: coded('EPROTO') });

    expect([failureReasonOf(fault), failureCodeOf(fault)]).toEqual(['protocol', 'EPROTO']);
  });

  it('returns the reason of the first address', () => {
    expect(failureReasonOf(new AggregateError([coded('ECONNREFUSED'), coded('ETIMEDOUT')]))).toBe(
      'connection_refused',
    );
  });

  it.each([
    ['ETIMEDOUT', 'reset'],
    ['EHOSTUNREACH', 'reset'],
    ['ECONNRESET', 'reset'],
    ['EPROTO', 'protocol'],
    ['CERT_HAS_EXPIRED', 'certificate_expired'],
  ])('returns for an established connection, %s: %s', (code, reason) => {
    expect(breakReasonOf(coded(code))).toBe(reason);
  });

  it('returns protocol for parser errors, which have no code', () => {
    const fault = Object.assign(new Error('no HTTP'), { name: 'HTTPParserError', code: undefined });

    expect([failureReasonOf(fault), failureCodeOf(fault)]).toEqual(['protocol', 'HTTPParserError']);
  });

  it('distinguishes refused and reset on real sockets', async () => {
    const refused = connect(await freePort(), '127.0.0.1');
    const [atOnce] = (await once(refused, 'error')) as [Error];
    const reset = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const later = new Promise((resolve) => reset.once('error', resolve));
    reset.write('x');

    expect(failureReasonOf(atOnce)).toBe('connection_refused');
    expect(failureReasonOf(await later)).toBe('reset');
  });
});
