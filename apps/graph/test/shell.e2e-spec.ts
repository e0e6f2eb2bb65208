/** The shell as a user has it: the built program on a pseudo-terminal, and with statements from a pipe. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeUnless } from '#testing';
import { type RunningServer, runProgram, startServer } from './support/built-program.ts';
import { openTerminal, type Terminal, terminalMissing } from './support/terminal.ts';

const describeOnTerminal = describeUnless(await terminalMissing());

const HOSTS = ['web-1', 'web-2', 'db-1'].map((key) => ({
  op: 'entity',
  type: 'host',
  class: 'Host',
  key,
  properties: { os: key.startsWith('web') ? 'linux' : 'bsd', cores: 4 },
}));

describe('plexus shell', () => {
  let directory: string;
  let data: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-shell-'));
    data = join(directory, 'data');
    const stdin = HOSTS.map((host) => `${JSON.stringify(host)}\n`).join('');
    await runProgram(['ingest', '-', '--data-dir', data], { stdin });
  });
  afterAll(() => rm(directory, { recursive: true }));

  describe('with statements from a pipe', () => {
    const piped = (stdin: string, ...args: string[]) =>
      runProgram(['shell', '--data-dir', data, ...args], { stdin });

    it('runs PQL and Cypher in order, over lines and several in one line', async () => {
      const { code, stdout, stderr } = await piped(
        [
          ':format csv',
          ':param os=linux',
          'FIND Host WITH os = $os -- not; yet',
          "  RETURN _key AS key; MATCH (n:Host {os: 'bsd'})-- () RETURN n;",
          '',
          ':unset os',
          "MATCH (n:Host) WHERE n.os = 'a;b' OR n.os = 'bsd' RETURN n.os AS os",
          '',
          ':quit',
          'FIND nothing',
        ].join('\n'),
      );

      expect([code, stderr]).toEqual([0, '']);
      expect(stdout.split('\r\n').slice(0, 3)).toEqual(['key', 'web-1', 'web-2']);
      expect(stdout).toMatch(/os\r\nbsd\r\n$/);
    });

    it('ends at the first failure, with its place, and writes no history', async () => {
      const { code, stdout, stderr } = await piped('FIND Host WITH;\nFIND Host;\n');
      const unknown = await piped(':formt csv\n');

      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('1 | FIND Host WITH');
      expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('did you mean :format?')]);
    });

    it('fails where no server answers, also without a statement', async () => {
      const { code, stderr } = await runProgram(['shell', '--url', 'http://127.0.0.1:9'], { stdin: '' });

      expect([code, stderr]).toEqual([1, 'plexus: no server answers at http://127.0.0.1:9\n']);
    });

    it('reads a file', async () => {
      const file = join(directory, 'statements.pql');
      await writeFile(file, "FIND Host WITH os = 'bsd' RETURN _key AS key;\n-- the end\n");

      const { code, stdout } = await piped(`:file ${file}\n`, '--format', 'csv');

      expect([code, stdout]).toEqual([0, 'key\r\ndb-1\r\n']);
    });
  });

  describeOnTerminal('on a terminal', () => {
    let server: RunningServer;
    beforeAll(async () => {
      server = await startServer(['--data-dir', data]);
    });
    afterAll(() => server.end('SIGTERM'));

    const open = (history: string, ...more: readonly string[]) =>
      openTerminal(['shell', '--url', server.url, '--history-file', history, ...more]);
    /** Enters a line, and awaits what it shows and the next prompt. */
    const enter = async (shell: Terminal, line: string, shown?: string): Promise<void> => {
      shell.type(`${line}\r`);
      if (shown !== undefined) await shell.until(shown);
      await shell.until('plexus> ');
    };

    it('completes names and keywords, continues lines, keeps a private history, and ends with Ctrl-D', async () => {
      const history = join(directory, 'kept', 'history');
      const first = open(history);
      await first.until('plexus> ');
      first.type('FIND Ho\t');
      await first.until('FIND Host');
      first.type(' WITH\r');
      await first.until('-> ');
      await enter(first, "os = 'bsd';", 'db-1');
      await enter(first, ':param password=hunter2');
      await enter(first, "MATCH (n {token: 'hunter2'}) RETURN n;");
      first.type(':hel\t');
      await first.until(':help');
      await enter(first, '', 'Ctrl-C stops');
      first.type('\x04');
      const code = await first.ended;

      const kept = await readFile(history, 'utf8');
      const second = open(history);
      await second.until('plexus> ');
      second.type('\x1b[A\x1b[A');
      await second.until("FIND Host WITH os = 'bsd'");
      second.type('\x03');
      await second.until('plexus> ');
      second.type(':quit\r');

      expect([code, await second.ended]).toEqual([0, 0]);
      expect(kept.split('\n')).toEqual(["FIND Host WITH os = 'bsd'", ':help', '']);
      expect((await stat(history)).mode & 0o777).toBe(0o600);
    });

    it('goes on after a failure, forgets a line at Ctrl-C, and prints colours', async () => {
      const shell = open(join(directory, 'other'));
      await shell.until('plexus> ');
      await enter(shell, 'FIND Host WITH;', 'expected a condition');
      shell.type('FIND Host\r');
      await shell.until('-> ');
      shell.type('\x03');
      await shell.until('plexus> ');
      await enter(shell, "FIND Host WITH os = 'linux' RETURN _key AS name;", 'web-2');
      shell.type(':exit\r');

      expect(await shell.ended).toBe(0);
      expect(shell.raw()).toContain('\x1b[31merror:\x1b[39m');
      expect(shell.raw()).toContain('\x1b[1mname\x1b[22m');
    });

    it('stops the running statement at Ctrl-C, and the server with it', async () => {
      const shell = open(join(directory, 'third'));
      await shell.until('plexus> ');
      const seconds =
        'UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a * b < 0 RETURN count(*);';
      shell.type(`${seconds}\r`);
      await shell.until('RETURN count(*);');
      shell.type('\x03');
      await shell.until('\nstopped\n');
      await shell.until('plexus> ');
      shell.type(':quit\r');

      expect(await shell.ended).toBe(0);
    });
  });
});
