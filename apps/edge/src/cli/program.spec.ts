import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '#platform/cli';
import { edgeProgram } from './program.ts';

const ROOT = join(import.meta.dirname, '../../../..');

describe('plexus-edge', () => {
  let folder: string;
  let out: string[];
  let err: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plexus-edge-'));
    [out, err] = [[], []];
    jest.spyOn(console, 'error').mockImplementation((text: string) => void err.push(text));
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => !!out.push(String(text)));
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => !!err.push(String(text)));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(folder, { recursive: true });
  });

  it.each([
    [[], 2],
    [['--config'], 2],
    [['--config', '/no/such/edge.toml'], 2],
    [['--config', 'a', 'b'], 2],
    [['--config', 'a', '--frob'], 2],
    [['--config', 'a', '--log-format', 'xml'], 2],
    [['--help'], 0],
  ])('exits for the arguments %j with code %d', async (args, expected) => {
    const code = await runProgram(edgeProgram(), args);

    expect(code).toBe(expected);
    expect(err.join('\n')).not.toMatch(/^ {4}at /m);
  });

  it('reports all faults of its configuration', async () => {
    const file = join(folder, 'edge.toml');
    await writeFile(file, 'edgeid = "x"\n[hive]\nadress = "y"\n');

    const code = await runProgram(edgeProgram(), ['--config', file]);

    expect(code).toBe(2);
    expect(err.join('\n')).toMatch(
      /did you mean edge_id\?.*did you mean address\?|did you mean address\?.*did you mean edge_id\?/s,
    );
  });

  it('rejects a certificate file without PEM data', async () => {
    const file = join(folder, 'edge.toml');
    const tls = '[tls]\nca = "edge.toml"\ncert = "edge.toml"\nkey = "edge.toml"\n';
    await writeFile(file, `edge_id = "x"\n[hive]\naddress = "127.0.0.1:1"\n${tls}`);

    const code = await runProgram(edgeProgram(), ['--config', file]);

    expect([code, err.join()]).toEqual([
      2,
      expect.stringContaining(`${file}: expected a certificate in PEM`),
    ]);
  });

  it('prints the version of the package', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };

    const code = await runProgram(edgeProgram(), ['--version']);

    expect([code, out]).toEqual([0, [`${version}\n`]]);
  });
});
