import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './support/built-program.ts';
import { TestService } from './support/test-service.ts';

const KEY = 'a-key-for-queries';
const SET = `version: 1
queries:
  - name: Hosts / prod?
    description: All of production.
    text: FIND Host WITH env = $env
    tags:
      - inventory
    parameters:
      env:
        type: string
        default: prod
  - name: users
    text: FIND user
`;

describe('plexus queries', () => {
  let directory: string;
  let file: string;
  const services: TestService[] = [];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-queries-cli-'));
    file = join(directory, 'queries.yaml');
    await writeFile(file, SET);
  });
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.stop()));
    await rm(directory, { recursive: true, force: true });
  });

  /** Runs a command on a server with a key, and on a data directory. */
  const places = async (): Promise<((...args: string[]) => ReturnType<typeof runProgram>)[]> => {
    const service = await TestService.start({ environment: { PLEXUS_API_KEY: KEY } });
    services.push(service);
    const dataDir = join(directory, 'data');
    await runProgram(['ingest', '-', '--data-dir', dataDir], { stdin: '' });
    const environment = { PLEXUS_API_KEY: KEY };
    return [
      (...args) => runProgram(['queries', ...args, '--url', service.url], { environment }),
      (...args) => runProgram(['queries', ...args, '--data-dir', dataDir]),
    ];
  };

  it('imports a file, lists and shows its queries, and exports them', async () => {
    for (const queries of await places()) {
      const imported = await queries('import', file);
      const list = await queries('list');
      const json = await queries('list', '--tag', 'inventory', '--format', 'json');
      const shown = await queries('show', 'Hosts / prod?');
      const exported = await queries('export');

      expect(imported).toEqual({
        code: 0,
        stdout: '2 added, 0 updated, 0 removed; 2 saved queries\n',
        stderr: '',
      });
      expect(list.stdout).toMatch(
        /^name +tags +parameters +updated +description\n─.*\nHosts \/ prod\? +inventory +env +\S+ +All of production\.\nusers /,
      );
      expect(JSON.parse(json.stdout)).toEqual([expect.objectContaining({ name: 'Hosts / prod?' })]);
      expect(shown.stdout).toBe(SET.slice(0, SET.indexOf('  - name: users')));
      expect(exported).toEqual({ code: 0, stdout: SET, stderr: '' });
    }
  });

  it('merges into the existing queries, or replaces them on request', async () => {
    const one = 'queries: [{name: one, text: FIND host}]';
    for (const queries of await places()) {
      await queries('import', file);
      await writeFile(join(directory, 'one.yaml'), one);

      const merged = await queries('import', join(directory, 'one.yaml'));
      const replaced = await queries('import', join(directory, 'one.yaml'), '--replace');

      expect(merged.stdout).toBe('1 added, 0 updated, 0 removed; 3 saved queries\n');
      expect(replaced.stdout).toBe('0 added, 0 updated, 2 removed; 1 saved queries\n');
    }
  });

  it('imports nothing from a file with an error, and reports its position', async () => {
    await writeFile(file, `${SET}  - name: wrong\n    text: FIND host WITH\n`);
    for (const queries of await places()) {
      const imported = await queries('import', file);
      const list = await queries('list', '--format', 'json');

      expect([imported.code, imported.stdout]).toEqual([1, '']);
      expect(imported.stderr).toMatch(/"wrong": .*\(line 1, column 15\)/);
      expect(list.stdout).toBe('[]\n');
    }
  });

  it('names the file and position of an invalid set of queries', async () => {
    await writeFile(file, 'queries:\n  - name: a\n    txt: FIND host\n');
    for (const queries of await places()) {
      const { code, stderr } = await queries('import', file);

      expect([code, stderr]).toEqual([1, expect.stringMatching(/queries\.yaml:3:5: .*txt/)]);
    }
  });

  it('fails for an unknown name and a missing file', async () => {
    for (const queries of await places()) {
      expect(await queries('show', 'none')).toMatchObject({
        code: 1,
        stderr: 'plexus: no such saved query\n',
      });
      expect(await queries('import', join(directory, 'none.yaml'))).toMatchObject({ code: 1 });
    }
  });
});
