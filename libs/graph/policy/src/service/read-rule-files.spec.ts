import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { readRuleFiles } from './rule-files.ts';

describe('rule files', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-rules-'));
  });

  afterEach(() => rm(directory, { recursive: true }));

  it('may be links, as in a mounted ConfigMap; one that leads nowhere is not passed over', async () => {
    await mkdir(join(directory, '..2026_11_28'));
    await writeFile(join(directory, '..2026_11_28', 'a.yaml'), 'rules:\n  - { id: own, query: FIND host }\n');
    await symlink('..2026_11_28', join(directory, '..data'));
    await symlink('..data/a.yaml', join(directory, 'a.yaml'));
    await symlink('bob@host.1:2', join(directory, '.#a.yaml'));
    const rules = await readRuleFiles(directory, new NodeDisk());
    await symlink('..data/gone.yaml', join(directory, 'gone.yaml'));

    expect(rules.map(({ id }) => id)).toEqual(['own']);
    await expect(readRuleFiles(directory, new NodeDisk())).rejects.toThrow('gone.yaml');
  });

  it('report the position of an id that another file has', async () => {
    const [first, second] = [join(directory, 'a.yaml'), join(directory, 'b.yaml')];
    await writeFile(first, 'rules:\n  - { id: taken, query: FIND host }\n');
    await writeFile(
      second,
      'rules:\n  - { id: free, query: FIND host }\n  - { id: taken, query: FIND host }\n',
    );

    await expect(readRuleFiles(directory, new NodeDisk())).rejects.toMatchObject({
      code: 'POLICY_INVALID',
      message: `${second}:3:11: id: duplicate id taken, also in ${first}`,
    });
  });
});
