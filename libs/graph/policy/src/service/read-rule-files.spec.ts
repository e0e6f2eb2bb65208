import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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
