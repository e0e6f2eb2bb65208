import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PQL_KEYWORDS, pqlTokens } from '../../../../web/console/pql/scan-pql.ts';
import { print } from '../src/ast/print.ts';
import { KEYWORDS } from '../src/lexer/keyword.ts';
import { tokenize } from '../src/lexer/lexer.ts';
import { arbitraryQuery } from './arbitrary-query.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../../../docs/pql.md'), 'utf8');

/** The tokens of the service's lexer, in the shape of the editor's. */
const lexed = (text: string) =>
  tokenize(text)
    .filter(({ kind }) => kind !== 'end')
    .map(({ kind, start, end, keyword }) => ({ kind: keyword === '' ? kind : 'keyword', start, end }));

describe('syntax highlighting of the editor', () => {
  it('has exactly the keywords of the language', () => {
    expect([...PQL_KEYWORDS].sort()).toEqual([...KEYWORDS].sort());
  });

  it.each(Array.from(DOCUMENT.matchAll(/^```pql\n(.*?)^```/gms), ([, text = '']) => text))(
    'reads the tokens of the document: %j',
    (text) => {
      expect(pqlTokens(text)).toEqual(lexed(text));
    },
  );

  it('reads the tokens of any query', () => {
    fc.assert(
      fc.property(arbitraryQuery.map(print), (text) => {
        expect(pqlTokens(text)).toEqual(lexed(text));
      }),
    );
  });

  it.each([
    "'it''s' \"a \\\" b\" `a``b`",
    "'over\ntwo lines' -- a comment\n/* and\n another */ FIND",
    'a.b[c d]>=-1.5e3..2 $1 $name x1 ünïcode',
  ])('reads %j', (text) => {
    expect(pqlTokens(text)).toEqual(lexed(text));
  });
});
