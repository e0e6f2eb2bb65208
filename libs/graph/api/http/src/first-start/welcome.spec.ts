import { describe, expect, it } from '@jest/globals';
import type { SyncReply } from '#graph/engine';
import type { QueryRequest } from '#graph/query';
import { welcomeText } from '../../../../../../apps/graph/src/cli/welcome.ts';
import { STARTER_QUERIES } from './starter-queries.ts';

const LOADED: SyncReply = {
  sync_id: 's',
  entities_created: 3,
  entities_updated: 0,
  entities_unchanged: 0,
  entities_deleted: 0,
  relationships_created: 2,
  relationships_updated: 0,
  relationships_unchanged: 0,
  relationships_deleted: 0,
  warnings: [],
};

/** A query service that answers each query with its position. */
function countingQueries(asked: (string | undefined)[]) {
  return {
    page: ({ pql }: QueryRequest) => {
      asked.push(pql);
      const reply = { count: 1, entities: [], columns: ['n'], rows: [[asked.length]], warnings: [] };
      return Promise.resolve(Buffer.from(JSON.stringify(reply)));
    },
  };
}

describe('the welcome', () => {
  it('prints the addresses of the server and its documentation, and the loaded data', async () => {
    const text = await welcomeText('http://127.0.0.1:7701', LOADED, countingQueries([]));

    expect(text).toContain('Plexus listens on http://127.0.0.1:7701\n');
    expect(text).toContain(' http://127.0.0.1:7701/docs\n');
    expect(text).toContain('3 entities and 2 relationships');
  });

  it('prints each query with its current answer', async () => {
    const asked: (string | undefined)[] = [];

    const text = await welcomeText('http://127.0.0.1:7701', LOADED, countingQueries(asked));

    expect(asked).toEqual(STARTER_QUERIES.map(({ shortText }) => shortText));
    for (const [index, { name, shortText }] of STARTER_QUERIES.entries()) {
      expect(text).toContain(`  ${name}?\n    ${shortText}\n\n      n\n      ─\n      ${index + 1}\n`);
    }
  });
});
