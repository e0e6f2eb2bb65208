import { describe, expect, it } from '@jest/globals';
import { EXTENSION_ENDPOINTS, SPECIFIED_ENDPOINTS } from './admin-endpoint.ts';
import { EndpointTable } from './endpoint-table.ts';

const specified = new EndpointTable({ extensions: false });
const extended = new EndpointTable({ extensions: true });

describe('EndpointTable', () => {
  it('has the four specified endpoints, and the extensions only when they are on', () => {
    const paths = specified.endpoints.map(({ method, path }) => `${method} ${path}`);

    expect(paths).toEqual(['GET /stats', 'GET /clusters', 'GET /config', 'GET /ready']);
    expect(extended.endpoints).toEqual([...SPECIFIED_ENDPOINTS, ...EXTENSION_ENDPOINTS]);
  });

  it.each(['/stats', '/clusters', '/config', '/ready'])('matches %s for GET and HEAD', (path) => {
    expect(specified.match('GET', path)).toMatchObject({ kind: 'known', endpoint: { path } });
    expect(specified.match('HEAD', path)).toMatchObject({ kind: 'known', endpoint: { path } });
  });

  it.each([
    '/',
    '',
    '*',
    '/stats/',
    '//stats',
    '/STATS',
    '/Ready',
    '/%73tats',
    '/stats%00',
    '/stats;a=b',
    '/./stats',
    '/x/../stats',
    '/ready#x',
    '/clusters/api',
    '/%zz',
    '/admin/v1/live',
    '/admin/ui',
    '/metrics',
    `/${'a'.repeat(10_000)}`,
  ])('does not match %s', (path) => {
    expect(specified.match('GET', path)).toEqual({ kind: 'unknown_path' });
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'get'])(
    'reports a wrong method for %s on a specified path',
    (method) => {
      expect(specified.match(method, '/stats')).toEqual({ kind: 'wrong_method', allowed: ['GET', 'HEAD'] });
    },
  );

  it('lists every method of a path with several', () => {
    const match = extended.match('GET', '/admin/v1/endpoints/api/10.0.0.1:80');

    expect(match).toEqual({ kind: 'wrong_method', allowed: ['POST', 'DELETE'] });
  });

  it('lists only POST for a path that changes state', () => {
    expect(extended.match('GET', '/admin/v1/drain')).toEqual({ kind: 'wrong_method', allowed: ['POST'] });
  });

  it.each(['api/10.0.0.1:80', 'a%2Fb/%5B::1%5D:80', 'api/[::1]:80'])(
    'accepts any two segments after endpoints: %s',
    (segments) => {
      expect(extended.match('DELETE', `/admin/v1/endpoints/${segments}`).kind).toBe('known');
    },
  );

  it.each(['api', 'api/', '/x', 'api/a/b', 'api/%zz', 'api/%e4'])(
    'accepts nothing else after endpoints: %s',
    (segments) => {
      expect(extended.match('DELETE', `/admin/v1/endpoints/${segments}`).kind).toBe('unknown_path');
    },
  );
});
