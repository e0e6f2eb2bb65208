import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { ScriptedUpstream } from './upstreams.ts';

const HOST = 'Host: a.example\r\n';
const POST = `POST / HTTP/1.1\r\n${HOST}`;
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;
const MAX_HEADER_BYTES = 8_192;

/** Requests that are ambiguous or invalid. */
const SHAPES: readonly (readonly [name: string, request: string])[] = [
  ['two hosts', `GET / HTTP/1.1\r\n${HOST}Host: b.example\r\n\r\n`],
  ['the same host twice', `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`],
  ['no host', 'GET / HTTP/1.1\r\n\r\n'],
  ['an empty host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n'],
  ['a list of hosts', 'GET / HTTP/1.1\r\nHost: a.example, b.example\r\n\r\n'],
  ['a host with a path', 'GET / HTTP/1.1\r\nHost: a.example/x\r\n\r\n'],
  ['a host with a user', 'GET / HTTP/1.1\r\nHost: u@a.example\r\n\r\n'],
  ['a host with two ports', 'GET / HTTP/1.1\r\nHost: a.example:80:80\r\n\r\n'],
  ['a host with an invalid port', 'GET / HTTP/1.1\r\nHost: a.example:b\r\n\r\n'],
  ['a host with a port beyond all', 'GET / HTTP/1.1\r\nHost: a.example:655360\r\n\r\n'],
  ['a host that is a port', 'GET / HTTP/1.1\r\nHost: :80\r\n\r\n'],
  ['a host with an open bracket', 'GET / HTTP/1.1\r\nHost: [::1\r\n\r\n'],
  ['a host with brackets within', 'GET / HTTP/1.1\r\nHost: a[::1]\r\n\r\n'],
  ['a host with more after its brackets', 'GET / HTTP/1.1\r\nHost: [::1]a\r\n\r\n'],
  ['an address of version 6 without brackets', 'GET / HTTP/1.1\r\nHost: ::1\r\n\r\n'],
  [
    'a length and a transfer coding',
    `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    'a transfer coding and a length',
    `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  ],
  ['two different lengths', `${POST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`],
  ['the same length twice', `${POST}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`],
  ['a list of lengths', `${POST}Content-Length: 5, 5\r\n\r\nhello`],
  ['a length with a sign', `${POST}Content-Length: +5\r\n\r\nhello`],
  ['a negative length', `${POST}Content-Length: -5\r\n\r\nhello`],
  ['a length in hexadecimal', `${POST}Content-Length: 0x5\r\n\r\nhello`],
  ['a length of two words', `${POST}Content-Length: 5 5\r\n\r\nhello`],
  ['a length with a fraction', `${POST}Content-Length: 5.0\r\n\r\nhello`],
  ['a length with an exponent', `${POST}Content-Length: 5e0\r\n\r\nhello`],
  ['a length and a comma', `${POST}Content-Length: 5,\r\n\r\nhello`],
  ['a length before a space of Latin-1', `${POST}Content-Length: 5\xa0\r\n\r\nhello`],
  ['a folded length', `${POST}Content-Length:\r\n 5\r\n\r\nhello`],
  [
    'no length in words and a transfer coding',
    `${POST}Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ['an empty length', `${POST}Content-Length:\r\n\r\nhello`],
  ['a length beyond 64 bits', `${POST}Content-Length: 99999999999999999999999\r\n\r\nhello`],
  ['a length beyond exact numbers', `${POST}Content-Length: 18446744073709551615\r\n\r\nhello`],
  ['another transfer coding', `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ['a transfer coding after chunked', `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
  ['a transfer coding before chunked', `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
  ['chunked twice', `${POST}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`],
  [
    'two transfer codings',
    `${POST}Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    'a transfer coding after chunked, in a line of its own',
    `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
  ],
  ['no transfer coding', `${POST}Transfer-Encoding:\r\n\r\n0\r\n\r\n`],
  ['a transfer coding and a comma', `${POST}Transfer-Encoding: chunked,\r\n\r\n0\r\n\r\n`],
  ['a transfer coding in quotes', `${POST}Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n`],
  ['a transfer coding with a parameter', `${POST}Transfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n`],
  ['chunked before a space of Latin-1', `${POST}Transfer-Encoding: chunked\xa0\r\n\r\n0\r\n\r\n`],
  ['chunked after a form feed', `${POST}Transfer-Encoding: \x0cchunked\r\n\r\n0\r\n\r\n`],
  ['chunked after a vertical tab', `${POST}Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n`],
  ['a transfer coding in HTTP/1.0', `POST / HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a space before the colon', `${POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
  ['a folded header', `GET / HTTP/1.1\r\n${HOST}X-A: b\r\n c\r\n\r\n`],
  ['a folded transfer coding', `${POST}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`],
  ['a folded first header', `GET / HTTP/1.1\r\n X: y\r\n${HOST}\r\n`],
  ['a bare line feed after the request line', `GET / HTTP/1.1\n${HOST}\r\n`],
  ['a bare line feed after a header', 'GET / HTTP/1.1\r\nHost: a.example\nX: y\r\n\r\n'],
  ['a bare line feed at the end', `GET / HTTP/1.1\r\n${HOST}\n`],
  ['a bare carriage return', `GET / HTTP/1.1\r\n${HOST}X: a\rb\r\n\r\n`],
  ['a NUL in a value', `GET / HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`],
  ['a NUL in a name', `GET / HTTP/1.1\r\n${HOST}X\0Y: a\r\n\r\n`],
  ['a NUL in the target', `GET /\0 HTTP/1.1\r\n${HOST}\r\n`],
  ['a control character in a value', `GET / HTTP/1.1\r\n${HOST}X: a\x01b\r\n\r\n`],
  ['an empty name', `GET / HTTP/1.1\r\n${HOST}: y\r\n\r\n`],
  ['a line without a colon', `GET / HTTP/1.1\r\n${HOST}XY\r\n\r\n`],
  ['a space in the target', `GET /a b HTTP/1.1\r\n${HOST}\r\n`],
  ['a tab in the target', `GET /a\tb HTTP/1.1\r\n${HOST}\r\n`],
  ['a byte above ASCII in the target', `GET /\xe9 HTTP/1.1\r\n${HOST}\r\n`],
  ['a fragment in the target', `GET /a#b HTTP/1.1\r\n${HOST}\r\n`],
  ['a target for another host', `GET http://b.example/ HTTP/1.1\r\n${HOST}\r\n`],
  ['a target with a user', `GET http://u@a.example/ HTTP/1.1\r\n${HOST}\r\n`],
  ['a target of another scheme', `GET ftp://a.example/ HTTP/1.1\r\n${HOST}\r\n`],
  ['a target without a slash', `GET x HTTP/1.1\r\n${HOST}\r\n`],
  ['an asterisk for GET', `GET * HTTP/1.1\r\n${HOST}\r\n`],
  ['HTTP/0.9', 'GET /\r\n\r\n'],
  ['HTTP/1.2 and two digits', `GET / HTTP/1.22\r\n${HOST}\r\n`],
  ['HTTP/2.0 in the request line', `GET / HTTP/2.0\r\n${HOST}\r\n`],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a version with two digits', `GET / HTTP/1.10\r\n${HOST}\r\n`],
  ['tabs in the request line', `GET\t/\tHTTP/1.1\r\n${HOST}\r\n`],
  ['an invalid method', `F@O / HTTP/1.1\r\n${HOST}\r\n`],
  ['another protocol', `GET /x RTSP/1.0\r\n${HOST}\r\n`],
  ['a protocol for streams', `SOURCE /x ICE/1.0\r\n${HOST}\r\n`],
  ['two spaces before the target', `GET  / HTTP/1.1\r\n${HOST}\r\n`],
  ['two spaces after the target', `GET /  HTTP/1.1\r\n${HOST}\r\n`],
  ['a space after the version', `GET / HTTP/1.1 \r\n${HOST}\r\n`],
  ['no method', ` / HTTP/1.1\r\n${HOST}\r\n`],
  ['a space before the method', ` GET / HTTP/1.1\r\n${HOST}\r\n`],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['a negative chunk size', `${CHUNKED}-5\r\nhello\r\n0\r\n\r\n`],
  ['a chunk size with a sign', `${CHUNKED}+5\r\nhello\r\n0\r\n\r\n`],
  ['a space before the chunk size', `${CHUNKED} 5\r\nhello\r\n0\r\n\r\n`],
  ['a tab after the chunk size', `${CHUNKED}5\t\r\nhello\r\n0\r\n\r\n`],
  ['no chunk size', `${CHUNKED}\r\nhello\r\n0\r\n\r\n`],
  ['a bare carriage return after the chunk size', `${CHUNKED}5\rhello\r\n0\r\n\r\n`],
  ['two carriage returns after the chunk size', `${CHUNKED}5\r\r\nhello\r\n0\r\n\r\n`],
  ['a bare carriage return in a chunk extension', `${CHUNKED}5;a\rb\r\nhello\r\n0\r\n\r\n`],
  ['a NUL in a chunk extension', `${CHUNKED}5;a\0b\r\nhello\r\n0\r\n\r\n`],
  ['a chunk size with 0x', `${CHUNKED}0x5\r\nhello\r\n0\r\n\r\n`],
  ['a space after the chunk size', `${CHUNKED}5 \r\nhello\r\n0\r\n\r\n`],
  ['a chunk size beyond 64 bits', `${CHUNKED}fffffffffffffffff\r\nhello\r\n0\r\n\r\n`],
  ['a bare line feed after the chunk size', `${CHUNKED}5\nhello\r\n0\r\n\r\n`],
  ['a bare line feed in a chunk extension', `${CHUNKED}5;\nxx\r\nhello\r\n0\r\n\r\n`],
  ['an open quote in a chunk extension', `${CHUNKED}5;a="\n\r\nhello\r\n0\r\n\r\n`],
  ['a chunk extension of 20,000 bytes', `${CHUNKED}5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`],
  ['a chunk longer than its size', `${CHUNKED}5\r\nhelloXX\r\n0\r\n\r\n`],
  ['no line end after a chunk', `${CHUNKED}5\r\nhello0\r\n\r\n`],
  ['a bare line feed after a chunk', `${CHUNKED}5\r\nhello\n0\r\n\r\n`],
  ['bare line feeds at the end of the chunks', `${CHUNKED}5\r\nhello\r\n0\n\n`],
  ['a transfer coding among the trailers', `${CHUNKED}0\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ['a folded trailer', `${CHUNKED}5\r\nhello\r\n0\r\nX: a\r\n b\r\n\r\n`],
  ['a control character in Connection', `GET / HTTP/1.1\r\n${HOST}Connection: "c", \x01\r\n\r\n`],
  ['a length among the trailers', `${CHUNKED}5\r\nhello\r\n0\r\nContent-Length: 1\r\n\r\n`],
];

describe('an ambiguous request', () => {
  let upstream: ScriptedUpstream;
  let bed: ProxyBed;
  let port: number;

  beforeAll(async () => {
    upstream = await ScriptedUpstream.start();
    bed = await ProxyBed.start({
      listeners: [{ name: 'web', address: '127.0.0.1:0', max_header_bytes: MAX_HEADER_BYTES }],
      clusters: [{ name: 'api', endpoints: [{ address: upstream.address }] }],
      routes: [{ prefix: '/', cluster: 'api' }],
      drain: { grace: '0s', timeout: '1s' },
    });
    port = await bed.port('web');
  });

  afterAll(async () => {
    await bed.stop();
    await upstream.stop();
  });

  it.each(SHAPES)('with %s is answered with 400, and not forwarded', async (_, request) => {
    const before = await bed.listener('web');

    const answer = await RawClient.exchange(port, request);

    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('Connection: close\r\n');
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    const after = (await bed.atRest()).listeners[0]!;
    expect(after.parseErrors).toBe(before.parseErrors + 1);
    expect(after.requestsByClass['4xx']).toBe(before.requestsByClass['4xx'] + 1);
    expect(upstream.sockets).toHaveLength(0);
  });

  it('hides the input behind it', async () => {
    const before = await bed.listener('web');

    const pair = `GET / HTTP/1.1\r\n${HOST}${HOST}\r\nGET /second HTTP/1.1\r\n${HOST}\r\n`;
    const answer = await RawClient.exchange(port, pair);

    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    const after = (await bed.atRest()).listeners[0]!;
    expect(after.requestsByClass['4xx']).toBe(before.requestsByClass['4xx'] + 1);
    expect(upstream.sockets).toHaveLength(0);
  });

  it('with a head over the limit is answered with 431', async () => {
    const before = await bed.listener('web');

    const long = `GET / HTTP/1.1\r\n${HOST}X: ${'a'.repeat(MAX_HEADER_BYTES)}\r\n\r\n`;
    const answer = await RawClient.exchange(port, long);

    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    const after = (await bed.atRest()).listeners[0]!;
    expect(after.parseErrors).toBe(before.parseErrors + 1);
    expect(upstream.sockets).toHaveLength(0);
  });

  it('for a tunnel is answered with 405', async () => {
    const answer = await RawClient.exchange(port, `CONNECT a.example:443 HTTP/1.1\r\n${HOST}\r\n`);

    expect(answer).toMatch(/^HTTP\/1\.1 405 [^]*\r\nallow: GET, /);
    expect(answer).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r\n/);
    await bed.atRest();
    expect(upstream.sockets).toHaveLength(0);
  });

  it('with trailers over the limit is answered with 431', async () => {
    const long = `${CHUNKED}5\r\nhello\r\n0\r\nX: ${'a'.repeat(MAX_HEADER_BYTES * 3)}\r\n\r\n`;
    const answer = await RawClient.exchange(port, long);

    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    await bed.atRest();
    expect(upstream.sockets).toHaveLength(0);
  });

  it('with an expectation other than 100-continue is answered with 417', async () => {
    const answer = await RawClient.exchange(port, `${POST}Content-Length: 5\r\nExpect: a-pony\r\n\r\n`);

    expect(answer).toMatch(/^HTTP\/1\.1 417 /);
    await bed.atRest();
    expect(upstream.sockets).toHaveLength(0);
  });
});
