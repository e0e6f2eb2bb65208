import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describeUnless } from '#testing';
import { runProgram } from './support/built-program.ts';

const run = promisify(execFile);

describe('plexus completion', () => {
  let script: string;
  beforeAll(async () => {
    script = (await runProgram(['completion', 'bash'])).stdout;
  });

  /** What bash offers at the end of a line. */
  async function offered(...words: readonly string[]): Promise<readonly string[]> {
    const typed = words.map((word) => `'${word}'`).join(' ');
    const ask = `${script}\nCOMP_WORDS=(plexus ${typed}); COMP_CWORD=${words.length}; _plexus; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['--norc', '-c', ask]);
    return stdout.split('\n').filter((word) => word !== '');
  }

  it('offers commands, flags and values in bash', async () => {
    expect(await offered('imp')).toEqual(['import']);
    expect(await offered('policy', 'ev')).toEqual(['evaluate']);
    expect(await offered('policy', 'evaluate', '--fail')).toEqual(['--fail-on']);
    expect(await offered('policy', 'evaluate', '--format', 's')).toEqual(['sarif']);
    expect(await offered('policy', 'evaluate', '--fail-on', 'no')).toEqual(['nodata']);
    expect(await offered('connector', 'run', 'corp-ldap', '--fo')).toEqual(['--format', '--force']);
    expect(await offered('import', 'hosts.csv', '--dry')).toEqual(['--dry-run']);
    expect(await offered('nonsense', '--no-such')).toEqual([]);
    expect(await offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    expect(await offered('finding', 'list', '--state', 'w')).toEqual(['waived']);
    expect(await offered('finding', 'list', '--severity', 'h')).toEqual(['high']);
    expect(await offered('query', '--color', 'a')).toEqual(['auto', 'always']);
    expect(await offered('query', '--data-dir', '')).toEqual([]);
  });

  it('refuses other shells', async () => {
    expect((await runProgram(['completion', 'tcsh'])).code).toBe(2);
  });
});

describeUnless(await missing('fish'))('plexus completion in fish', () => {
  it('offers commands, flags and values', async () => {
    const { stdout: script } = await runProgram(['completion', 'fish']);
    const offered = async (line: string): Promise<readonly string[]> => {
      const ask = `${script}\ncomplete -C '${line}'`;
      const { stdout } = await run('fish', ['--no-config', '-c', ask]);
      return stdout.split('\n').flatMap((row) => row.split('\t')[0] || []);
    };

    expect(await offered('plexus imp')).toEqual(['import']);
    expect(await offered('plexus policy ev')).toEqual(['evaluate']);
    expect(await offered('plexus policy evaluate --fail')).toEqual(['--fail-on']);
    expect(await offered('plexus policy evaluate --format s')).toEqual(['sarif']);
    expect(await offered('plexus policy evaluate --fail-on no')).toEqual(['nodata']);
    expect(await offered('plexus query --as')).toEqual(['--as-of']);
    expect(await offered('plexus completion z')).toEqual(['zsh']);
  });
});

describeUnless(await missing('zsh'))('plexus completion in zsh', () => {
  it('offers commands, flags and values, and files where there are none', async () => {
    const { stdout: script } = await runProgram(['completion', 'zsh']);
    /** What the function adds; zsh itself leaves out what does not begin with the last word. */
    const offered = async (...words: readonly string[]): Promise<readonly string[]> => {
      const ask = [
        'compdef() { }; compadd() { shift; print -l -- $@ }; _files() { print FILES }',
        script,
        `words=(plexus ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _plexus`,
      ].join('\n');
      const { stdout } = await run('zsh', ['-f', '-c', ask]);
      return stdout
        .split('\n')
        .filter((word) => word !== '' && (word === 'FILES' || word.startsWith(words.at(-1) ?? '')));
    };

    expect(await offered('imp')).toEqual(['import']);
    expect(await offered('policy', 'evaluate', '--fail')).toEqual(['--fail-on']);
    expect(await offered('policy', 'evaluate', '--format', 's')).toEqual(['sarif']);
    expect(await offered('policy', 'evaluate', '--fail-on', 'no')).toEqual(['nodata']);
    expect(await offered('query', '--data-dir', '')).toEqual(['FILES']);
  });
});

/** Why a shell cannot be tested here. */
async function missing(shell: string): Promise<string | undefined> {
  return run(shell, ['--version']).then(
    () => undefined,
    () => `${shell} is not installed`,
  );
}
