/** The pairs in docs/cypher.md have the same answer in both languages; the forms in docs/pql.md run. */
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QueryEngine } from '#graph/query';
import { FIXTURE, NaiveReader } from '#graph/testing';
import { completed, systemClock } from '#platform/foundation';
import { ReadingStatement } from '../src/index.ts';
import { compileText } from '../src/service/compile-text.ts';

const pageOf = (name: string) => readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8');
const [, TABLE = ''] = /<!-- pairs -->([^]*)<!-- \/pairs -->/.exec(pageOf('cypher.md')) ?? [];
const [, FORMS = ''] = /<!-- forms -->([^]*)<!-- \/forms -->/.exec(pageOf('pql.md')) ?? [];
const PAIRS = Array.from(TABLE.matchAll(/^\| `(.*?)` +\| `(.*?)` +\|$/gm), ([, pql = '', cypher = '']) => [
  pql.replaceAll('\\|', '|'),
  cypher.replaceAll('\\|', '|'),
]);
const reader = new NaiveReader(FIXTURE);
const engine = new QueryEngine({ vocabulary: { hasClass: () => true, hasVerb: () => true } });

/** Without its limit, which a statement that is kept may not have. */
function rowsOf(cypher: string): number {
  const [text = '', limit = 'Infinity'] = cypher.split(' LIMIT ');
  const rows = new ReadingStatement(text).run(reader, {
    parameters: {},
    timeoutMs: 60_000,
    clock: systemClock,
  });
  return Math.min(rows.count, Number(limit));
}

describe('a pair of questions', () => {
  it('stands in the documentation', () => {
    expect(PAIRS.length).toBeGreaterThan(10);
  });

  it.each(PAIRS)('has as many results in both languages: %s', (pql = '', cypher = '') => {
    expect(() => completed(compileText(cypher))).not.toThrow();
    expect(rowsOf(cypher)).toBe(engine.runSync(reader, pql).count);
    expect(rowsOf(cypher)).toBeGreaterThan(0);
  });
});

describe('a form that only Cypher has', () => {
  const forms = Array.from(FORMS.matchAll(/`(MATCH .*?|UNWIND .*?)` +\|$/gm), ([, cypher = '']) => cypher);

  it('stands in the documentation of PQL', () => {
    expect(forms.length).toBeGreaterThan(10);
  });

  it.each(forms)('has results: %s', (cypher) => {
    expect(rowsOf(cypher)).toBeGreaterThan(0);
  });
});
