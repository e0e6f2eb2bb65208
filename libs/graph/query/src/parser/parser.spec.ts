import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/foundation';
import { NESTING_MAX, QUERY_BYTES_MAX } from '../syntax/limits.ts';
import { parse } from './parser.ts';

function faultOf(text: string): DomainError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error(`expected a fault in ${text.slice(0, 80)}`);
}

/** Paths of the objects of a tree that are not frozen. */
function thawed(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, field]) => thawed(field, `${path}/${key}`));
  return Object.isFrozen(value) ? inner : [path, ...inner];
}

describe('parse', () => {
  it.each([
    `EXPLAIN FIND (a|b) AS h WITH NOT x IN (1, $p) AND (y =~ 'z' OR y BETWEEN NOW - 1d AND 2) (THAT !v{1..2} >> c)?
     THAT RELATES TO AS r d WHERE h.x = r.y GROUP BY h.x HAVING COUNT(*) > 1
     RETURN DISTINCT h.*, COUNT(DISTINCT h.x) AS n ORDER BY n DESC SKIP 1 LIMIT $l`,
    "FIND SHORTEST PATH FROM a WITH x ^= ('y' OR 'z') TO 'k' VIA (v|w) << DEPTH 3",
    'FIND BLAST RADIUS FROM a VIA RELATES TO DEPTH 3 LIMIT 4',
    'FIND host RETURN COUNT',
  ])('freezes the whole tree of %s', (text) => {
    const tree = parse(text);

    expect(thawed(tree)).toEqual([]);
  });

  it.each([
    ['parentheses', (depth: number) => `FIND h WITH ${'('.repeat(depth)}a = 1${')'.repeat(depth)}`, 12],
    ['negations', (depth: number) => `FIND h WITH ${'NOT '.repeat(depth)}a = 1`, 12],
    ['groups', (depth: number) => `FIND h ${'('.repeat(depth)}THAT a b${')!'.repeat(depth)}`, 7],
  ])(
    `takes ${NESTING_MAX} levels of %s, and refuses the next at its first character`,
    (_what, nested, start) => {
      const tree = parse(nested(NESTING_MAX));
      const fault = faultOf(nested(NESTING_MAX + 1));
      const width = nested(1).includes('NOT') ? 4 : 1;

      expect(tree.body.kind).toBe('find');
      expect(fault.message).toMatch(/^nesting is deeper than 64 levels/);
      expect(fault.details?.['position']).toBe(start + NESTING_MAX * width);
    },
  );

  it('counts nesting of conditions inside groups from the group on', () => {
    const text = `FIND h ${'('.repeat(40)}THAT a b WITH ${'('.repeat(25)}`;

    const fault = faultOf(text);

    expect(fault.details?.['position']).toBe(text.length - 1);
  });

  it('accepts 64 KiB of UTF-8, and rejects the first character beyond', () => {
    const fitting = `FIND host --${'x'.repeat(QUERY_BYTES_MAX - 12)}`;
    const wide = `FIND host --${'é'.repeat(QUERY_BYTES_MAX / 2 - 6)}`;

    const faults = [faultOf(`${fitting}x`), faultOf(`${wide}é`)];

    expect([parse(fitting).body.kind, parse(wide).body.kind]).toEqual(['find', 'find']);
    expect(faults.map((fault) => fault.details?.['position'])).toEqual([fitting.length, wide.length]);
    expect(faults.map((fault) => fault.details?.['length'])).toEqual([1, 1]);
  });

  it('rejects regular expressions that are too large in total', () => {
    const pattern = "a =~ '(b{1000})(c{1000})'";

    const tree = parse(`FIND h WITH ${pattern}`);
    const fault = faultOf(`FIND h WITH ${Array(9).fill(pattern).join(' OR ')}`);

    expect(tree.body.kind).toBe('find');
    expect(fault.message).toMatch(/^the regular expressions of this query are too large together/);
  });

  it('reports the first fault of the text, lexical or grammatical', () => {
    const [grammar, token] = [faultOf("FIND host host2 'x"), faultOf("FIND host WITH a = 'x b c")];

    expect([grammar.details?.['position'], token.details?.['position']]).toEqual([10, 19]);
  });

  it('counts lines and columns from one, after any line break', () => {
    const fault = faultOf('FIND host\r\nWITH\n  x y');

    expect(fault.details).toMatchObject({ position: 20, line: 3, column: 5, length: 1 });
    expect(fault.message).toContain('(line 3, column 5)');
  });

  it('parses minus zero as zero, in numbers and in offsets', () => {
    const { body } = parse('FIND h WITH a = -0 AND b = NOW - 0d');

    expect(body).toMatchObject({
      node: { filter: { items: [{ right: { value: 0 } }, { right: { offsetMs: 0 } }] } },
    });
  });

  it('keeps the grouping of parentheses', () => {
    const { body } = parse('FIND h WITH (a = 1 AND b = 2) AND c = 3');

    expect(body).toMatchObject({
      node: { filter: { kind: 'and', items: [{ kind: 'and' }, { kind: 'compare' }] } },
    });
  });

  it.each([
    ['a = 1 OR b = 2 AND c = 3', true],
    ['a = 1 AND b = 2 OR c = 3', true],
    ['a = 1 OR (b = 2 AND c = 3)', undefined],
    ['a = 1 OR b = 2', undefined],
    ['a BETWEEN 1 AND 2 OR b = 2', undefined],
    ["a ^= ('x' OR 'y') AND b = 2", undefined],
  ])('marks %s as mixed: %s', (condition, mixed) => {
    const { body } = parse(`FIND h WITH ${condition}`);

    const filter = body.kind === 'find' ? body.node.filter : undefined;
    expect(filter !== undefined && 'mixed' in filter ? filter.mixed : undefined).toBe(mixed);
  });
});
