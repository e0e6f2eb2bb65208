import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GRAPH_ACCESS } from '../permission.ts';
import { loadKeysCommand } from './load-keys-command.ts';

describe('the command that makes a key', () => {
  let directory: string;

  const make = async (file: string): Promise<unknown> => {
    const command = new Command();
    (await loadKeysCommand({ model: GRAPH_ACCESS, variable: 'PLEXUS_KEYS' })).addTo(command);
    return command.parseAsync(['new', '--keys', file, '--name', 'a', '--role', 'viewer'], { from: 'user' });
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-keys-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('makes the file where there is none', async () => {
    const file = join(directory, 'keys.yaml');

    await make(file);

    expect(await readFile(file, 'utf8')).toMatch(/^keys:\n {2}- \{ name: ["']a["'],/);
  });

  it('names the directory that is missing', async () => {
    const missing = join(directory, 'etc');

    await expect(make(join(missing, 'keys.yaml'))).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: `${join(missing, 'keys.yaml')}: there is no directory ${missing}`,
    });
  });
});
