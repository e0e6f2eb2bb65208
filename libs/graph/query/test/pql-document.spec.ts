import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { bind } from '../src/binder/bind.ts';
import { KEYWORDS } from '../src/lexer/keyword.ts';
import { parse } from '../src/parser/parser.ts';

const page = readFileSync(new URL('../../../../docs/pql.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```pql\n(.*?)^```/gms)].map((match) => match[1] ?? '');
/** A line that begins a query ends the one before it. */
const examples = blocks
  .flatMap((block) => block.split(/\n(?=EXPLAIN|PROFILE|FIND)/))
  .map((text) => text.trim());

describe('the language reference', () => {
  it('has examples in every chapter on syntax', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(10);
    expect(examples.length).toBeGreaterThanOrEqual(20);
  });

  it('has exactly the keywords of the lexer in its grammar', () => {
    const [, grammar = ''] = /^```ebnf\n(.*?)^```/ms.exec(page) ?? [];
    const words = [...grammar.matchAll(/"([A-Za-z]{2,})"/g)].map((match) => match[1]?.toUpperCase());

    expect([...new Set(words)].sort()).toEqual([...KEYWORDS].sort());
  });

  it.each(examples)('shows a query that parses and binds without a warning: %s', (text) => {
    const bound = bind(parse(text), text);

    expect(bound.warnings).toEqual([]);
  });
});
