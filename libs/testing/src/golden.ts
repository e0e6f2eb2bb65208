/**
 * Golden files: outputs of a function by input, kept as reviewed text.
 *
 *     # remarks, kept when the file is rewritten
 *     FIND host
 *     ----
 *     the output, one or more lines
 *
 * Cases are separated by an empty line. An input that begins with `"` is a JSON string, for blanks at an end
 * and characters that an editor would lose. `UPDATE_GOLDEN=1` writes the actual outputs instead of comparing.
 */
import { expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';

const SEPARATOR = '----';

interface GoldenCase {
  readonly remarks: readonly string[];
  readonly input: string;
  readonly expected: string;
}

/** Declares one test for each case of a golden file. An empty expected output fails: it proves nothing. */
export function goldenTests(file: URL, actual: (input: string) => string): void {
  const blocks = readBlocks(readFileSync(file, 'utf8'));
  if (process.env['UPDATE_GOLDEN'] === '1') {
    writeFileSync(file, blocks.map((block) => writeBlock(block, actual)).join('\n'));
  }
  for (const { input, expected } of readBlocks(readFileSync(file, 'utf8')).filter(isCase)) {
    it(`returns the recorded output for ${input.slice(0, 100)}`, () => {
      const output = actual(decode(input));

      expect(expected).not.toBe('');
      expect(output).toBe(expected);
    });
  }
}

function readBlocks(text: string): GoldenCase[] {
  return text
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== '')
    .map(readBlock);
}

function readBlock(block: string): GoldenCase {
  const lines = block.replace(/^\n+|\n+$/g, '').split('\n');
  const start = lines.findIndex((line) => !line.startsWith('#'));
  if (start === -1) return { remarks: lines, input: '', expected: '' };
  const separator = lines.indexOf(SEPARATOR);
  const end = separator === -1 ? lines.length : separator;
  const expected = lines.slice(end + 1).join('\n');
  return { remarks: lines.slice(0, start), input: lines.slice(start, end).join('\n'), expected };
}

function isCase({ input }: GoldenCase): boolean {
  return input !== '';
}

function writeBlock(block: GoldenCase, actual: (input: string) => string): string {
  const { remarks, input } = block;
  const lines = isCase(block) ? [...remarks, input, SEPARATOR, actual(decode(input))] : remarks;
  return `${lines.join('\n')}\n`;
}

function decode(input: string): string {
  if (!input.startsWith('"')) return input;
  const decoded: unknown = JSON.parse(input);
  if (typeof decoded !== 'string') throw new TypeError(`expected a JSON string: ${input}`);
  return decoded;
}
