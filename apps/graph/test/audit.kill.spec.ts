/** The built program with an audit trail: killed under writers, and as commands on a data directory. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effort } from '#testing';
import { type Run, type RunningServer, runProgram, startServer } from './support/built-program.ts';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? effort(3, 1));
const WRITERS = 8;
const WRITES_MIN = 40;
const TIMEOUT_MS = 60_000;

describe('a program with an audit trail', () => {
  let directory: string;
  let trail: string;
  let dataDir: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-audit-kill-'));
    trail = join(directory, 'audit.jsonl');
    dataDir = join(directory, 'data');
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const verify = (): Promise<Run> => runProgram(['audit', 'verify', trail]);

  it(
    'has each acknowledged change after SIGKILL, and goes on with its chain',
    async () => {
      const acknowledged: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const server = await startServer(['--data-dir', dataDir, '--audit', trail]);
        const wanted = acknowledged.length + WRITES_MIN;
        const enough = Promise.withResolvers<undefined>();
        const writers = Array.from({ length: WRITERS }, (_, at) =>
          write(server, `${round}-${at}`, (seq) => {
            acknowledged.push(seq);
            if (acknowledged.length >= wanted) enough.resolve(undefined);
          }),
        );
        await enough.promise;
        await server.end('SIGKILL');
        await Promise.all(writers);
      }

      const checked = await verify();
      const seqs = new Set(
        (await readFile(trail, 'utf8'))
          .split('\n')
          .flatMap((line) => /"seq":(\d+),"outcome":"done"/.exec(line)?.[1] ?? [])
          .map(Number),
      );
      expect(checked).toMatchObject({ code: 0, stderr: '' });
      expect(acknowledged.filter((seq) => !seqs.has(seq))).toEqual([]);
    },
    ROUNDS * TIMEOUT_MS,
  );

  it('has the changes of commands on a data directory, by the user of the system', async () => {
    const environment = { PLEXUS_AUDIT: trail };
    const stdin = `${JSON.stringify({ op: 'entity', type: 'host', key: 'a', properties: {} })}\n`;

    const loaded = await runProgram(['ingest', '-', '--data-dir', dataDir], { environment, stdin });
    const dumped = await runProgram(['wal', 'dump', '--data-dir', dataDir]);
    const checked = await verify();

    expect(loaded.code).toBe(0);
    expect(dumped.stdout).toMatch(/^seq 1 {2}5 operations {2}\d+ bytes {2}by user \S+\n/);
    expect(checked.stdout).toMatch(/^events 1 to 1 in 1 file: whole; last [0-9a-f]{64}\n$/);
    expect(JSON.parse(await readFile(trail, 'utf8'))).toMatchObject({
      who: expect.stringMatching(/^user /),
      from: 'command line',
      counts: { entities_put: 1 },
      seq: 1,
    });
  });

  it('exits with 1 where the trail was changed, and says where', async () => {
    const stdin = `${JSON.stringify({ op: 'entity', type: 'host', key: 'a', properties: {} })}\n`;
    await runProgram(['ingest', '-', '--data-dir', dataDir], { environment: { PLEXUS_AUDIT: trail }, stdin });
    await writeFile(trail, (await readFile(trail, 'utf8')).replace('entities_put":1', 'entities_put":9'));

    const checked = await verify();

    expect(checked).toEqual({
      code: 1,
      stdout: 'audit.jsonl:1: event 1 was changed\n',
      stderr: `plexus: ${trail}: the audit trail was interfered with\n`,
    });
  });
});

/** Writes until the server stops, and reports the sequence number of each acknowledged write. */
async function write({ url }: RunningServer, prefix: string, done: (seq: number) => void): Promise<void> {
  for (let at = 0; ; at++) {
    const body = JSON.stringify({ entities: [{ type: 'host', key: `${prefix}-${at}` }] });
    const headers = { 'Content-Type': 'application/json' };
    try {
      const reply = await fetch(`${url}/v1/ingest/write`, { method: 'POST', headers, body });
      if (reply.status !== 200) throw new Error(`refused with ${reply.status}`);
      done(Number(reply.headers.get('plexus-seq')?.split('.')[1]));
    } catch (error) {
      if ((error as Error).name === 'TypeError') return;
      throw error;
    }
  }
}
