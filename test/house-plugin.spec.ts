import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import { join } from 'node:path';
import { parser } from 'typescript-eslint';

const ROOT = join(import.meta.dirname, '..');
const { housePlugin } = (await import(join(ROOT, 'tools/lint/house-plugin.mjs'))) as {
  housePlugin: Linter.Config['plugins'] & object;
};

function rulesBroken(code: string, filename: string): string[] {
  const rules = { 'house/file-name': 'error', 'house/non-null-on-hot-path': 'error' } as const;
  const config = { files: ['**/*.ts'], languageOptions: { parser }, plugins: { house: housePlugin }, rules };
  return new Linter({ cwd: ROOT })
    .verify(code, config as Linter.Config, filename)
    .map(({ ruleId, message }) => ruleId ?? message);
}

const COLD = 'import a from "a";\n/** Sums up. */\nexport const f = (x) => x[0]!;';
const HOT = 'import a from "a";\n/** A *hot path*: plain loops. */\nexport const f = (x) => x[0]!;';

describe('rule for non-null assertions', () => {
  it.each([
    ['rejects an assertion in an ordinary file', COLD, 'libs/graph/engine/src/sum.ts', 1],
    [
      'accepts an index in a file with the hot-path mark in its header',
      HOT,
      'libs/graph/engine/src/sum.ts',
      0,
    ],
    [
      'rejects anything but an index in such a file',
      HOT.replace('x[0]!', 'x.a!'),
      'libs/graph/engine/src/sum.ts',
      1,
    ],
    [
      'rejects an index when only a later comment has the mark',
      `let b;\n${HOT}`,
      'libs/graph/engine/src/sum.ts',
      1,
    ],
    ['accepts assertions in tests', COLD, 'libs/graph/engine/src/sum.spec.ts', 0],
  ])('%s', (_, code, filename, count) => {
    expect(rulesBroken(code, filename)).toEqual(Array(count).fill('house/non-null-on-hot-path'));
  });
});

describe('rule for file names', () => {
  it.each([
    ['libs/graph/engine/src/base/posting-list.ts', 0],
    ['libs/graph/engine/src/graph-reader.port.ts', 0],
    ['libs/graph/engine/src/index.ts', 0],
    ['libs/graph/engine/src/base/index.ts', 1],
    ['libs/graph/engine/src/base/PostingList.ts', 1],
    ['libs/graph/engine/src/base/utils.ts', 1],
    ['libs/graph/engine/src/base/types.spec.ts', 1],
  ])('%s violates the rule %d times', (filename, count) => {
    expect(rulesBroken('', filename)).toEqual(Array(count).fill('house/file-name'));
  });
});
