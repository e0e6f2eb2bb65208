import { describe, expect, it } from '@jest/globals';
import { route } from '../../test/route.ts';
import { explainRoutes } from './explain-routes.ts';
import { requestHost } from './request-host.ts';
import { RouteTable } from './route-table.ts';

const ROUTES = [
  route({ prefix: '/', cluster: 'rest' }),
  route({ prefix: '/v1', cluster: 'any-v1' }),
  route({ host: '*.example.com', cluster: 'suffix' }),
  route({ host: '*.api.example.com', cluster: 'longer-suffix' }),
  route({ host: 'www.example.com', prefix: '/shop', cluster: 'shop' }),
  route({ host: 'www.example.com', prefix: '/shop', cluster: 'second' }),
  route({ prefix: '/v1/internal', cluster: 'internal', listeners: ['internal'] }),
  route({ host: '[::1]', cluster: 'six' }),
];
const TABLE = new RouteTable(ROUTES, ['web', 'internal']);

describe('RouteTable', () => {
  it.each([
    ['host.org', '/', 'rest'],
    ['host.org', '/v1', 'any-v1'],
    ['host.org', '/v10', 'any-v1'],
    ['host.org', '/v2?/v1', 'rest'],
    ['a.example.com', '/v1/x', 'suffix'],
    ['a.b.example.com', '/', 'suffix'],
    ['example.com', '/', 'rest'],
    ['notexample.com', '/', 'rest'],
    ['x.api.example.com', '/', 'longer-suffix'],
    ['api.example.com', '/', 'suffix'],
    ['www.example.com', '/shop/1', 'shop'],
    ['www.example.com', '/v1', 'suffix'],
    ['WWW.Example.COM.:443', '/shop', 'shop'],
    ['[::1]:8080', '/', 'six'],
    ['host.org', '/v1/internal', 'any-v1'],
  ])('routes %s%s on the listener web to %s', (host, target, cluster) => {
    expect(TABLE.on('web').match(host, target)?.cluster).toBe(cluster);
  });

  it('has routes for some listeners only', () => {
    expect(TABLE.on('internal').match('host.org', '/v1/internal')?.cluster).toBe('internal');
    expect(TABLE.on('unknown').match('host.org', '/')).toBeUndefined();
  });

  it('compares raw paths', () => {
    const table = new RouteTable([route({ prefix: '/a/b' })], ['web']);

    expect(table.on('web').match('h', '/a/bc')).toBeDefined();
    for (const path of ['/a//b', '/a%2Fb', '/A/b', '/a', '*', '']) {
      expect(table.on('web').match('h', path)).toBeUndefined();
    }
  });
});

describe('explainRoutes', () => {
  it('names the route of a request, and why the others do not match', () => {
    const verdicts = explainRoutes(ROUTES, { listener: 'web', host: 'www.example.com', path: '/shop?x' });

    expect(verdicts.map(({ index, takes, reason }) => [index, takes, reason])).toEqual([
      [4, true, 'matches'],
      [5, false, 'route 4 comes first'],
      [7, false, 'for another host'],
      [3, false, 'for another host'],
      [2, false, 'route 4 comes first'],
      [6, false, 'not on the listener web'],
      [1, false, 'the path does not begin with its prefix'],
      [0, false, 'route 4 comes first'],
    ]);
  });
});

describe('requestHost', () => {
  it.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.com:80', 'example.com'],
    ['example.com.', 'example.com'],
    ['example.com.:80', 'example.com'],
    ['example.com:', 'example.com'],
    ['127.0.0.1:8080', '127.0.0.1'],
    ['[::1]', '[::1]'],
    ['[FE80::1]:80', '[fe80::1]'],
    ['.', '.'],
    ['', ''],
  ])('converts %j to %j', (header, host) => {
    expect(requestHost(header)).toBe(host);
  });
});
