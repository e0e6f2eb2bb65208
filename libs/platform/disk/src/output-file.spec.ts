import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutputFile } from './output-file.ts';

describe('OutputFile', () => {
  let directory = '';
  const at = (name: string): string => join(directory, name);

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'plexus-output-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('creates a file when it is written, and replaces a longer one', async () => {
    const file = new OutputFile(at('a.json'));
    const isThere = existsSync(at('a.json'));
    await file.write('a longer text');
    await new OutputFile(at('a.json')).write('short');

    expect([isThere, readFileSync(at('a.json'), 'utf8')]).toEqual([false, 'short']);
  });

  it('writes to a link and to a pipe, which stay', async () => {
    symlinkSync(at('target'), at('link'));
    execFileSync('mkfifo', [at('pipe')]);
    await new OutputFile(at('link')).write('linked');
    const [, piped] = await Promise.all([
      new OutputFile(at('pipe')).write('piped'),
      readFile(at('pipe'), 'utf8'),
    ]);

    expect([readFileSync(at('target'), 'utf8'), piped]).toEqual(['linked', 'piped']);
    expect([lstatSync(at('link')).isSymbolicLink(), statSync(at('pipe')).isFIFO()]).toEqual([true, true]);
  });

  it('refuses a directory, and a file in a missing one, before the work', () => {
    expect(() => new OutputFile(directory)).toThrow(expect.objectContaining({ code: 'EISDIR' }));
    expect(() => new OutputFile(at('none/a.json'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});
