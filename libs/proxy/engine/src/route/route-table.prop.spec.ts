import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { route } from '../../test/route.ts';
import { explainRoutes } from './explain-routes.ts';
import { RouteTable } from './route-table.ts';

const LISTENERS = ['web', 'internal'];
const label = fc.constantFrom('a', 'b', 'example', 'com', 'x-1');
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
const pattern = fc.oneof(
  { weight: 2, arbitrary: fc.constant('*') },
  { weight: 3, arbitrary: name },
  { weight: 3, arbitrary: name.map((suffix) => `*.${suffix}`) },
);
const path = fc
  .array(fc.constantFrom('/', 'old', 'er', 'v1', 'v2', '%2F', '//'), { maxLength: 5 })
  .map((parts) => `/${parts.join('')}`);
const listeners = fc.option(fc.subarray(LISTENERS, { minLength: 1 }), { nil: undefined });
const routes = fc.array(
  fc.record({ host: pattern, prefix: path, listeners }).map((parts) => route(parts)),
  { maxLength: 12 },
);
/** A host in any client's spelling. */
const written = fc
  .tuple(name, fc.boolean(), fc.boolean(), fc.boolean())
  .map(
    ([host, isLoud, hasDot, hasPort]) =>
      `${isLoud ? host.toUpperCase() : host}${hasDot ? '.' : ''}${hasPort ? ':8080' : ''}`,
  );
const requests = fc.record({
  listener: fc.constantFrom(...LISTENERS),
  host: written,
  sent: path,
  ask: fc.constantFrom('', '?', '?a=/v1', '??'),
});

describe('RouteTable', () => {
  it('finds the same route as the rules applied one by one', () => {
    fc.assert(
      fc.property(routes, requests, (given, { listener, host, sent, ask }) => {
        const table = new RouteTable(given, LISTENERS);

        const found = table.on(listener).match(host, sent + ask);

        const verdicts = explainRoutes(given, { listener, host, path: sent + ask });
        const taker = verdicts.find(({ takes }) => takes);
        expect(found).toBe(taker === undefined ? undefined : given[taker.index]);
        expect(verdicts.filter(({ takes }) => takes).length).toBeLessThanOrEqual(1);
        expect(verdicts).toHaveLength(given.length);
      }),
      { numRuns: 2_000 },
    );
  });
});
