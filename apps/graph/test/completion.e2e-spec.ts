import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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
  });

  it('has a script for zsh and fish, and refuses other shells', async () => {
    const zsh = await runProgram(['completion', 'zsh']);
    const fish = await runProgram(['completion', 'fish']);
    const other = await runProgram(['completion', 'tcsh']);

    expect(zsh.stdout).toMatch(/^#compdef plexus\nautoload -U \+X bashcompinit && bashcompinit\n/);
    expect(zsh.stdout).toContain('complete -o default -F _plexus plexus');
    expect(fish.stdout).toContain(
      "complete -c plexus -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from evaluate' -l fail-on",
    );
    expect(other.code).toBe(2);
  });
});
