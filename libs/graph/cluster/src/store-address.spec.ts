import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parseStoreAddress } from './store-address.ts';

describe('parseStoreAddress', () => {
  it('separates hosts, ports, user and database', () => {
    const { hosts, user, database } = parseStoreAddress('postgres://plexus:a%40b@db-a,[::1]:5433/graph');

    expect([hosts.map(({ name }) => name), user, database]).toEqual([
      ['db-a:5432', '[::1]:5433'],
      'plexus',
      'graph',
    ]);
    expect(hosts[0]?.url.reveal()).toBe('postgres://plexus:a%40b@db-a:5432/graph?uselibpqcompat=true');
  });

  it.each(['first@second', 'first/second', 'first?second', 'first#second', 'first%second', '@second'])(
    'shows no part of a password that is not percent-encoded: %s',
    (password) => {
      let shown: unknown;
      try {
        shown = parseStoreAddress(`postgres://plexus:${password}@db-a:5432,db-b/graph`);
      } catch (error) {
        shown = error;
      }

      expect(shown).toMatchObject({ code: 'INVALID_REQUEST' });
      expect(inspect(shown, { depth: null })).not.toMatch(/db-a|first|second@/);
    },
  );
});
