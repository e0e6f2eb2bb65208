import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/foundation';
import { explainFault, syntaxFault } from './fault.ts';

describe('explainFault', () => {
  it('shows the line of the fault with carets below it, and the hint', () => {
    const text = 'FIND host\n  LIMIT ten';
    const fault = syntaxFault(text, { start: 18, end: 21 }, 'expected an integer', { hint: 'digits' });

    const explained = explainFault(text, fault);

    expect(explained.split('\n')).toEqual([
      'expected an integer (line 2, column 9)',
      '  |',
      '2 |   LIMIT ten',
      '  |         ^^^',
      'hint: digits',
    ]);
  });

  it('shows a window of a long line, with the caret at the same character', () => {
    const text = `${'x'.repeat(500)}!${'y'.repeat(500)}`;
    const fault = syntaxFault(text, { start: 500, end: 501 }, 'odd');

    const [, , source = '', carets = ''] = explainFault(text, fault).split('\n');

    expect(source.length).toBeLessThanOrEqual(100);
    expect(source.charAt(carets.indexOf('^'))).toBe('!');
  });

  it('lets no control character of the query reach the terminal', () => {
    const text = 'FIND \u001b[31m\u202e\thost';
    const fault = syntaxFault(text, { start: 5, end: 6 }, 'unexpected character');

    const [, , source] = explainFault(text, fault).split('\n');

    expect(source).toBe('1 | FIND  [31m  host');
  });

  it('numbers wide margins so that the caret stays in place', () => {
    const text = `${'\n'.repeat(11)}FIND`;
    const fault = syntaxFault(text, { start: 15, end: 15 }, 'expected a class');

    const explained = explainFault(text, fault).split('\n');

    expect(explained.slice(1)).toEqual(['   |', '12 | FIND', '   |     ^']);
  });

  it('returns the message alone for any other error', () => {
    const error = new DomainError('MISSING_PARAMETER', 'expected a value for $1');

    const explained = explainFault('FIND host', error);

    expect(explained).toBe('expected a value for $1');
  });
});
