import { describe, expect, it } from '@jest/globals';
import { completePql, type Vocabulary } from './complete-pql.ts';

const VOCABULARY: Vocabulary = {
  classes: [
    { name: 'Host', count: 4 },
    { name: 'User', count: 3 },
  ],
  verbs: [
    { name: 'RUNS', count: 2 },
    { name: 'ASSIGNED', count: 5 },
  ],
  types: [
    { name: 'host', count: 4, classes: ['Host'], properties: [{ name: 'os', count: 4 }] },
    { name: 'user', count: 3, classes: ['User'], properties: [{ name: 'mail', count: 3 }] },
    { name: 'my service', count: 1, classes: ['Service'], properties: [] },
  ],
};

/** The completion at `|`. */
function complete(marked: string) {
  const at = marked.indexOf('|');
  return completePql(marked.replace('|', ''), at, VOCABULARY);
}

const kindsAt = (marked: string) => [...new Set(complete(marked).candidates.map(({ kind }) => kind))];
const textsAt = (marked: string) => complete(marked).candidates.map(({ text }) => text);

describe('completePql', () => {
  it.each([
    ['|', ['keyword']],
    ['FIND |', ['class', 'type', 'keyword']],
    ['FIND Ho|', ['class', 'type', 'keyword']],
    ['FIND host THAT |', ['verb', 'keyword']],
    ['FIND host THAT !|', ['verb', 'keyword']],
    ['FIND host THAT (RUNS|', ['verb', 'keyword']],
    ['FIND host THAT RUNS |', ['class', 'type', 'keyword']],
    ['FIND host THAT RUNS >> |', ['class', 'type', 'keyword']],
    ['FIND host THAT (RUNS | ASSIGNED) << |'.replace(' | ', ' , '), ['class', 'type', 'keyword']],
    ['FIND host THAT RUNS{1..3} |', ['class', 'type', 'keyword']],
    ['FIND host THAT RELATES TO |', ['class', 'type', 'keyword']],
    ['FIND host WITH |', ['property', 'field', 'keyword']],
    ['FIND host |', ['keyword']],
    ['FIND host WITH os = |', ['keyword']],
  ])('at %j returns %j', (marked, kinds) => {
    expect(kindsAt(marked)).toEqual(kinds);
  });

  it.each([
    ['FIND host |', ['WITH', 'AS', 'THAT', 'WHERE', 'GROUP BY', 'RETURN', 'ORDER BY', 'SKIP', 'LIMIT']],
    [
      "FIND host WITH os = 'linux' |",
      ['AND', 'OR', 'AS', 'THAT', 'WHERE', 'GROUP BY', 'RETURN', 'ORDER BY', 'SKIP', 'LIMIT'],
    ],
    ['FIND host AS h RETURN h.os |', ['AS', 'ORDER BY', 'SKIP', 'LIMIT']],
    ['FIND host ORDER BY os |', ['ASC', 'DESC', 'SKIP', 'LIMIT']],
    ['FIND host GROUP BY os |', ['HAVING', 'RETURN', 'ORDER BY', 'SKIP', 'LIMIT']],
    ['FIND host SKIP 3 |', ['LIMIT']],
    ['FIND host LIMIT 3 |', []],
    ['FIND SHORTEST PATH FROM host |', ['WITH', 'TO']],
    ['FIND SHORTEST PATH FROM host TO user |', ['WITH', 'VIA', 'DEPTH', 'LIMIT']],
    ['FIND BLAST RADIUS FROM host DEPTH 2 |', ['LIMIT']],
  ])('at %j offers only what may follow', (marked, texts) => {
    expect(textsAt(marked)).toEqual(texts);
  });

  it.each([
    ['FIND |', true],
    ['FIND malware THAT |', true],
    ['FIND host THAT RUNS |', true],
    ['FIND host WITH |', true],
    ['FIND host WITH os = |', true],
    ['FIND SHORTEST PATH FROM host TO |', true],
    ['|', false],
    ['FIND host |', false],
    ["FIND host WITH os = 'linux' |", false],
    ['FIND host LIMIT |', false],
  ])('at %j knows whether a name or a value must follow: %s', (marked, isIncomplete) => {
    expect(complete(marked).isIncomplete).toBe(isIncomplete);
  });

  it('offers fields and CONCAT where a column is computed', () => {
    expect(textsAt('FIND host RETURN |')).toEqual(expect.arrayContaining(['os', 'CONCAT(']));
    expect(textsAt('FIND host RETURN |')).not.toContain('NOT');
    expect(textsAt('FIND host RETURN cpu * |')).toContain('os');
    expect(textsAt('FIND host RETURN (cpu + |')).toContain('os');
    expect(textsAt('FIND host AS h RETURN h.* |')).toContain('LIMIT');
    expect(textsAt('FIND * |')).toContain('THAT');
    expect(textsAt('FIND host WITH |')).not.toContain('CONCAT(');
  });

  it('offers the rest of a condition after its field', () => {
    expect(textsAt('FIND host WITH os |')).toContain('STARTS WITH');
    expect(textsAt('FIND host WITH os |')).not.toContain('LIMIT');
  });

  it.each([
    [
      "FIND host WITH os = '|",
      { from: 20, quote: "'", candidates: [], valuesOf: { property: 'os', classes: ['host'] } },
    ],
    [
      "FIND host WITH os = 'li|'",
      { from: 20, quote: "'", candidates: [], valuesOf: { property: 'os', classes: ['host'] } },
    ],
    [
      'FIND host WITH os IN ("a", "li|")',
      { from: 27, quote: '"', candidates: [], valuesOf: { property: 'os', classes: ['host'] } },
    ],
    ["FIND host WITH '|", { from: 15, quote: "'", candidates: [] }],
  ])('at %j offers values inside the quotes', (marked, completion) => {
    expect(complete(marked)).toEqual(completion);
  });

  it('suggests the properties of the entity', () => {
    expect(textsAt('FIND host WITH |')).toContain('os');
    expect(textsAt('FIND host WITH |')).not.toContain('mail');
    expect(textsAt('FIND host AS h THAT RUNS user AS u WHERE u.|')).toContain('mail');
    expect(textsAt('FIND host AS h THAT RUNS user AS u WHERE u.|')).not.toContain('os');
    expect(textsAt('FIND host AS h THAT RUNS user AS u RETURN |')).toEqual(
      expect.arrayContaining(['h', 'u']),
    );
  });

  it('quotes names where the language requires it', () => {
    expect(textsAt('FIND |')).toContain('`my service`');
  });

  it('replaces the word at the cursor', () => {
    expect(complete('FIND host WITH o|').from).toBe(15);
    expect(complete('FIND host WITH |').from).toBe(15);
  });

  it('knows a field from a type of its name', () => {
    const types = [...VOCABULARY.types, { name: 'os', count: 1, classes: [], properties: [] }];
    const text = "FIND host WITH os = '";

    expect(completePql(text, text.length, { ...VOCABULARY, types }).valuesOf).toEqual({
      property: 'os',
      classes: ['host'],
    });
  });

  it.each([
    ['FIND host WITH os = |', { property: 'os', classes: ['host'] }],
    ["FIND host WITH os IN ('linux', |", { property: 'os', classes: ['host'] }],
    ['FIND host AS h THAT RUNS user AS u WHERE h.os != |', { property: 'os', classes: ['host'] }],
    ['FIND (host|user) WITH os = |'.replace('(host|user)', 'Host'), { property: 'os', classes: ['Host'] }],
  ])('at %j requests values of a field', (marked, valuesOf) => {
    expect(complete(marked).valuesOf).toEqual(valuesOf);
  });
});
