import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Story } from '#testing';
import { startServer } from './support/built-program.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/tracing.md'), 'utf8');
const [typed = '', answer = ''] = Array.from(PAGE.matchAll(/^```\w*\n(.*?)^```$/gms), ([, text]) => text);
const [print = '', serve = '', ask = ''] = typed.split('\n').map((line) => line.replace(/ +#.*$/, ''));

const withoutTimes = (line: string): string => line.replace(/\d+\.\d+ ms/, '… ms').replace(/:\d+$/, ':port');

describe('the first commands of docs/tracing.md', () => {
  let directory: string;
  let printer: ChildProcessWithoutNullStreams;
  const printed = new Story<string>();

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-tracing-page-'));
    const [, ...args] = print.replace('4318', '0').split(' ');
    printer = spawn(process.execPath, args, { cwd: ROOT });
    createInterface(printer.stdout).on('line', (line) => printed.record(line));
  });
  afterAll(async () => {
    const closed = once(printer, 'close');
    printer.kill();
    await closed;
    await rm(directory, { recursive: true });
  });

  it('give the printed answers', async () => {
    const url = (await printed.until((line) => line.startsWith('waiting'))).replace(/.* /, '');
    const [setting = '', , , , , ...rest] = serve.split(' ');
    const [, body = ''] = /-d '(.*)'/.exec(ask) ?? [];
    expect(setting).toBe('OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318');
    expect([serve, rest]).toEqual([`${setting} bin/plexus serve --data-dir ./plexus-data`, []]);

    const server = await startServer(['--data-dir', directory], { OTEL_EXPORTER_OTLP_ENDPOINT: url });
    const headers = { 'Content-Type': 'application/json' };
    const path = ask.split(' ')[2]?.replace('127.0.0.1:7700', '') ?? '';
    expect((await fetch(server.url + path, { method: 'POST', headers, body })).status).toBe(200);
    await printed.until((line) => line.includes('query.encode'));
    await server.end('SIGTERM');

    expect(printed.entries.map(withoutTimes)).toEqual(answer.trimEnd().split('\n').map(withoutTimes));
  });
});
