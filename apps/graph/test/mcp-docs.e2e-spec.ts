import { afterEach, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOOLS } from '#graph/api/mcp';
import { TestService } from './support/test-service.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/mcp.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, type = '', text = '']) => ({
  type,
  text,
}));
const MAIN = join(ROOT, 'dist/programs/graph.js');
const SHOWN_URL = 'http://127.0.0.1:7700';

interface Servers {
  readonly mcpServers: Readonly<
    Record<
      string,
      { readonly command: string; readonly args: readonly string[]; readonly env: Record<string, string> }
    >
  >;
}

describe('docs/mcp.md', () => {
  const services: TestService[] = [];
  const started = async (): Promise<TestService> => {
    const service = await TestService.start({ firstStart: join(ROOT, 'package-lock.json') });
    services.push(service);
    return service;
  };
  afterEach(() => Promise.all(services.splice(0).map((service) => service.stop())));

  it('begins with a configuration that connects a client', async () => {
    const { url } = await started();
    const { mcpServers } = JSON.parse(BLOCKS[0]?.text ?? '') as Servers;
    const { command, args = [], env = {} } = mcpServers['plexus'] ?? {};
    expect(command).toBe('bin/plexus');
    const client = new Client({ name: 'test', version: '1' });

    const given = args.map((arg) => arg.replace(SHOWN_URL, url));
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [MAIN, ...given], env }),
    );

    expect((await client.listTools()).tools).toHaveLength(TOOLS.length);
    await client.close();
  });

  it('shows a session of one line and its actual answer', async () => {
    const { url } = await started();
    const [, session, answer] = BLOCKS;
    const line =
      session?.text.replace('bin/plexus', `'${process.execPath}' '${MAIN}'`).replace(SHOWN_URL, url) ?? '';

    const child = spawn('/bin/sh', ['-c', line], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pieces: Buffer[] = [];
    child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
    await once(child, 'close');

    expect([session?.type, answer?.type]).toEqual(['sh', 'json']);
    expect(settled(Buffer.concat(pieces).toString('utf8'))).toEqual(settled(answer?.text ?? ''));
  });

  it('names each tool', () => {
    const named = Array.from(PAGE.matchAll(/^\| `([a-z_]+)` +\|/gm), ([, name]) => name);

    expect(named).toEqual(TOOLS.map(({ name }) => name));
  });

  it('shows valid JSON', () => {
    for (const { type, text } of BLOCKS)
      if (type === 'json') expect(() => JSON.parse(text) as unknown).not.toThrow();
  });
});

/** The text without the values that differ between runs. */
function settled(text: string): unknown {
  return JSON.parse(text.replaceAll(/((?:took_ms|snapshot_version)\\?":)[ \d.]+/g, '$10'));
}
