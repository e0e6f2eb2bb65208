import { describe } from '@jest/globals';
import { DomainError } from '#platform/foundation';
import { goldenTests } from '#testing';
import { print } from '../src/ast/print.ts';
import { bind } from '../src/binder/bind.ts';
import { parse } from '../src/parser/parser.ts';
import { explainFault } from '../src/syntax/fault.ts';
import { dump } from './dump.ts';

const file = (name: string): URL => new URL(`data/${name}.txt`, import.meta.url);

/** What `make` gives, or the PQL_SYNTAX error with its carets and what was expected. */
function orFault(text: string, make: () => string): string {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'PQL_SYNTAX') throw error;
    const expected = error.details?.['expected'];
    const position = String(error.details?.['position']);
    const list = Array.isArray(expected) && expected.length > 0 ? `\nexpected: ${expected.join(', ')}` : '';
    return `at ${position}: ${explainFault(text, error)}${list}`;
  }
}

/** The tree, and the text it prints as when that is another one. */
function parsed(text: string): string {
  return orFault(text, () => {
    const query = parse(text);
    const printed = print(query);
    return printed === text ? dump(query) : `${dump(query)}\nprints: ${printed}`;
  });
}

function bound(text: string): string {
  return orFault(text, () => dump(bind(parse(text), text)));
}

describe('parse', () => {
  describe('tokens', () => goldenTests(file('parse-tokens'), parsed));
  describe('patterns', () => goldenTests(file('parse-patterns'), parsed));
  describe('conditions', () => goldenTests(file('parse-conditions'), parsed));
  describe('clauses', () => goldenTests(file('parse-clauses'), parsed));
  describe('paths', () => goldenTests(file('parse-paths'), parsed));
  describe('ill-formed text', () => goldenTests(file('parse-faults'), parsed));
});

describe('bind', () => {
  describe('resolves names', () => goldenTests(file('bind-names'), bound));
  describe('refuses what has no meaning', () => goldenTests(file('bind-faults'), bound));
});
