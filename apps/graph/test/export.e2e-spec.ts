/** What `plexus export opengraph` writes is what the connector reads, in another store. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Run, runProgram } from './support/built-program.ts';

const LINES = [
  {
    op: 'entity',
    type: 'host',
    key: 'web-01',
    labels: ['Linux'],
    properties: { os: 'linux', ports: [22, 443] },
  },
  { op: 'entity', type: 'service', key: 'nginx', class: 'Web', display_name: 'nginx 1.25' },
  {
    op: 'entity',
    type: 'user',
    key: 'S-1-5-21-1-1105',
    class: 'User',
    properties: { objectid: 'S-1-5-21-1-1105' },
  },
  {
    op: 'relationship',
    from: { type: 'host', key: 'web-01' },
    verb: 'RUNS',
    to: { type: 'service', key: 'nginx' },
    key: '443',
    properties: { port: 443 },
  },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-export-'));
  await runProgram(['ingest', '-', '--data-dir', join(directory, 'first')], { stdin: LINES });
});
afterAll(() => rm(directory, { recursive: true }));

const exported = (...args: string[]): Promise<Run> =>
  runProgram(['export', 'opengraph', ...args, '--data-dir', join(directory, 'first')]);

/** The records of a store, without their stamps. */
async function recordsOf(store: string): Promise<unknown> {
  const rows = async (cypher: string): Promise<readonly unknown[]> => {
    const { stdout } = await runProgram([
      'cypher',
      cypher,
      '--format',
      'json',
      '--data-dir',
      join(directory, store),
    ]);
    return (JSON.parse(stdout) as { rows: readonly unknown[] }).rows;
  };
  const stamps = new Set(['source', 'created_at', 'updated_at', 'last_seen_at', 'version', 'deleted_at']);
  const text = JSON.stringify([
    await rows('MATCH (n) RETURN n ORDER BY elementId(n)'),
    await rows('MATCH ()-[r]->() RETURN r ORDER BY elementId(r)'),
  ]);
  return JSON.parse(text, (name, value: unknown) => (stamps.has(name) ? undefined : value));
}

describe('plexus export opengraph', () => {
  it('writes a file from which another store has the same records', async () => {
    const file = join(directory, 'graph.json');
    const { code, stderr } = await exported('-o', file);

    expect([code, stderr]).toEqual([0, '3 nodes, 1 edge\n']);
    const connectors = join(directory, 'connectors');
    await mkdir(connectors);
    await writeFile(join(connectors, 'og.yaml'), `connector: bloodhound\nconfig: { file: ${file} }\n`);
    const run = await runProgram([
      ...['connector', 'run', 'og', '--connectors', connectors, '--data-dir', join(directory, 'second')],
    ]);
    expect(run.code).toBe(0);
    expect(await recordsOf('second')).toEqual(await recordsOf('first'));
    expect((await exported('-o', file)).stderr).toContain(`expected a new file: ${file} is there`);
    expect(
      (JSON.parse(await readFile(file, 'utf8')) as { graph: { nodes: unknown[] } }).graph.nodes,
    ).toHaveLength(3);
  });

  it('writes the entities of a query, or of a class, with the relationships between them', async () => {
    const byQuery = await exported('--query', "FIND host WITH os = 'linux'");
    const byClass = await exported('--class', 'Web');
    const both = await exported('--query', 'FIND host', '--class', 'Web');

    expect(JSON.parse(byQuery.stdout)).toEqual({
      graph: {
        nodes: [
          {
            id: 'web-01',
            kinds: ['Host', 'Linux'],
            properties: {
              os: 'linux',
              ports: [22, 443],
              plexus_type: 'host',
              plexus_key: 'web-01',
              plexus_display_name: 'web-01',
            },
          },
        ],
        edges: [],
      },
    });
    expect(byQuery.stderr).toBe('1 node, 0 edges; 1 relationship leads out of them\n');
    expect(JSON.parse(byClass.stdout)).toMatchObject({ graph: { nodes: [{ id: 'nginx', kinds: ['Web'] }] } });
    expect(both.code).toBe(2);
  });

  it('refuses a query whose result are no entities', async () => {
    const { code, stderr } = await exported('--query', 'FIND host RETURN os');

    expect(code).toBe(2);
    expect(stderr).toContain('--query: expected a query that finds entities, without RETURN');
  });
});
