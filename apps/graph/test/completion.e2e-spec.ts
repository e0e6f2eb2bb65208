import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    expect(await offered('connector', 'run', 'corp-ldap', '--fo')).toEqual(['--format', '--force']);
    expect(await offered('import', 'hosts.csv', '--dry')).toEqual(['--dry-run']);
    expect(await offered('nonsense', '--no-such')).toEqual([]);
    expect(await offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
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
    expect(await offered('plexus query --as')).toEqual(['--as-of']);
    expect(await offered('plexus completion z')).toEqual(['zsh']);
  });
});

describeUnless(await missing('zsh'))('plexus completion in zsh', () => {
  /** What Tab makes of a line on a terminal: zsh completes it and prints it in place of running it. */
  async function completed(script: string, line: string): Promise<string> {
    const ask = [
      'zmodload zsh/zpty; zpty -b shell zsh -f -i',
      "zpty -w shell 'PS1=; unsetopt beep; autoload -U compinit && compinit -D -u; setopt no_list_beep'",
      'zpty -w shell "source $SCRIPT"',
      'zpty -w shell \'show() { print -r -- "<<$BUFFER>>"; BUFFER=; zle accept-line }; zle -N show; bindkey "^X" show; print READY\'',
      'while zpty -r shell row; do [[ $row == *READY* && $row != *print* ]] && break; done',
      `zpty -w -n shell $'${line}\t\x18'`,
      "while zpty -r shell row; do [[ $row == *'<<'*'>>'* ]] && print -r -- $row && break; done",
      'zpty -d shell',
    ].join('\n');
    const { stdout } = await run('zsh', ['-f', '-c', ask], {
      env: { ...process.env, SCRIPT: script, TERM: 'dumb' },
    });
    return /<<(.*)>>/.exec(stdout)?.[1]?.trim() ?? stdout;
  }

  it('completes commands, flags and values', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-zsh-'));
    const script = join(directory, '_plexus');
    try {
      await writeFile(script, (await runProgram(['completion', 'zsh'])).stdout);

      expect(await completed(script, 'plexus imp')).toBe('plexus import');
      expect(await completed(script, 'plexus policy evaluate --fail')).toBe(
        'plexus policy evaluate --fail-on',
      );
      expect(await completed(script, 'plexus policy evaluate --format s')).toBe(
        'plexus policy evaluate --format sarif',
      );
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

/** Why a shell cannot be tested here. */
async function missing(shell: string): Promise<string | undefined> {
  return run(shell, ['--version']).then(
    () => undefined,
    () => `${shell} is not installed`,
  );
}
