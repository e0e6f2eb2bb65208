import { describe, expect, it } from '@jest/globals';
import { WarningList } from './warning-list.ts';

describe('WarningList', () => {
  it('suggests the most similar word of the vocabulary once for each unknown word', () => {
    const warnings = new WarningList();

    for (const name of ['Hots', 'Host', 'Hots', 'Zeppelin']) warnings.class(name);
    warnings.verb('protect');

    expect(warnings.all()).toEqual([
      { code: 'UNKNOWN_CLASS', message: 'class Hots is not in the vocabulary; did you mean Host?' },
      { code: 'UNKNOWN_CLASS', message: 'class Zeppelin is not in the vocabulary' },
      { code: 'UNKNOWN_VERB', message: 'verb protect is not in the vocabulary; did you mean PROTECTS?' },
    ]);
  });

  it('gives each request the same hint, also for a repeated word', () => {
    const lists = [new WarningList(), new WarningList()];

    for (const list of lists) list.class('Hots');
    for (const list of lists) list.verb('Hots');

    expect(lists[1]?.all()).toEqual(lists[0]?.all());
    expect(lists[1]?.all().map(({ message }) => message)).toEqual([
      'class Hots is not in the vocabulary; did you mean Host?',
      'verb Hots is not in the vocabulary',
    ]);
  });

  it('lists twenty words and counts the others', () => {
    const warnings = new WarningList();

    for (let i = 0; i < 25; i++) warnings.class(`Zeppelin${String(i)}`);

    expect(warnings.all()).toHaveLength(21);
    expect(warnings.all().at(-1)).toEqual({ code: 'UNKNOWN_CLASS', message: 'and 5 more' });
  });
});
