import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { print } from '../src/ast/print.ts';
import { tokenize } from '../src/lexer/lexer.ts';
import { formatQuery } from '../src/service/format-query.ts';
import { arbitraryQuery } from './arbitrary-query.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../../../docs/pql.md'), 'utf8');
const QUERIES = Array.from(DOCUMENT.matchAll(/^```pql\n(.*?)^```/gms), ([, text = '']) => text)
  .flatMap((block) => block.split(/\n(?=FIND|EXPLAIN)/))
  .filter((text) => text.trim() !== '');

/** What the tokens stand for, whatever their case where they are keywords. */
const meaning = (text: string) =>
  tokenize(text).map(({ kind, text: word, keyword }) => [kind, keyword || word]);

describe('query formatting', () => {
  it('puts each hop and clause on its own line', () => {
    const text = `find user as u that assigned role that allows >> (DataStore|Database) as d with encrypted=false
      where u.region != d.region return u.email, d.display_name order by u.email limit 20`;

    expect(formatQuery(text)).toBe(`FIND user AS u
  THAT assigned role
  THAT allows >> (DataStore|Database) AS d WITH encrypted=false
  WHERE u.region != d.region
  RETURN u.email, d.display_name
  ORDER BY u.email LIMIT 20`);
  });

  it('leaves a short query on one line', () => {
    expect(formatQuery('find  host\n with os = $os ;')).toBe('FIND host WITH os = $os ;');
  });

  it('leaves names unchanged, including keywords of other positions', () => {
    expect(formatQuery('find Group as g with limit = 1 return g.limit as max')).toBe(
      'FIND Group AS g WITH limit = 1 RETURN g.limit AS max',
    );
  });

  it('keeps comments', () => {
    const text = '-- who\nFIND user AS u -- whom we ask\n  /* and */ THAT ASSIGNED role\n-- the end';

    const laidOut = formatQuery(text);
    expect(formatQuery(laidOut)).toBe(laidOut);
    expect(laidOut).toBe(
      '-- who\nFIND user AS u -- whom we ask\n  /* and */\n  THAT ASSIGNED role\n  -- the end',
    );
  });

  it.each(QUERIES)('preserves the tokens of %j, and is idempotent', (text) => {
    const laidOut = formatQuery(text);

    expect(meaning(laidOut).slice(0, -1)).toEqual(meaning(text).slice(0, -1));
    expect(formatQuery(laidOut)).toBe(laidOut);
  });

  it('preserves the tokens of any query, and is idempotent', () => {
    fc.assert(
      fc.property(arbitraryQuery.map(print), (text) => {
        const laidOut = formatQuery(text);

        expect(meaning(laidOut).slice(0, -1)).toEqual(meaning(text).slice(0, -1));
        expect(formatQuery(laidOut)).toBe(laidOut);
      }),
    );
  });
});
