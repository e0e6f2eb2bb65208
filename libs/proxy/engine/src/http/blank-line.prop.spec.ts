import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BlankLine } from './blank-line.ts';

const text = fc
  .array(fc.constantFrom('\r\n\r\n', '\r\n', '\r', '\n', 'a'), { maxLength: 20 })
  .map((words) => words.join(''));
const parts = fc
  .array(text, { maxLength: 8 })
  .map((texts) => texts.filter((part) => part !== '').map((part) => Buffer.from(part, 'latin1')));

function endsIn(whole: string): number[] {
  return Array.from(whole.matchAll(/\r\n\r\n/g), ({ index }) => index + 4);
}

it('finds the end of every blank line, in any chunking', () => {
  fc.assert(
    fc.property(parts, (given) => {
      const blankLine = new BlankLine();
      const found: number[] = [];
      let before = 0;
      for (const part of given) {
        for (let end = blankLine.endIn(part, 0); end !== -1; end = blankLine.endIn(part, end)) {
          found.push(before + end);
        }
        before += part.length;
      }

      expect(found).toEqual(endsIn(Buffer.concat(given).toString('latin1')));
    }),
    { numRuns: 1_000 },
  );
});

it('forgets a partial match on reset', () => {
  const blankLine = new BlankLine();
  blankLine.endIn(Buffer.from('a\r\n\r'), 0);

  blankLine.reset();

  expect(blankLine.endIn(Buffer.from('\n'), 0)).toBe(-1);
});
