import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { McpServers } from '#graph/api/mcp';
import { FixtureMcpServers } from './support/fixture-mcp-servers.ts';
import { TestService } from './support/test-service.ts';

const ROOT = join(import.meta.dirname, '../../..');
const EXPECTED = join(ROOT, 'test/mcp-expected.yml');
const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const ENVIRONMENT = { PLEXUS_MCP: 'on' };

/** The scenarios that apply to any server, whatever its tools. */
const OF_EVERY_SERVER = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

/** Runs the public conformance suite against a service in open mode, since the suite cannot send a key. */
async function conformance(
  service: TestService,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly text: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'plexus-mcp-'));
  try {
    const child = spawn(process.execPath, [SUITE, 'server', '--url', `${service.url}/mcp`, ...args], {
      cwd: directory,
    });
    const pieces: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece: Buffer) => pieces.push(piece));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, text: Buffer.concat(pieces).toString('utf8') };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

describe('the conformance suite of the Model Context Protocol', () => {
  const services: TestService[] = [];
  let own: TestService;
  let fixture: TestService;

  beforeAll(async () => {
    own = await TestService.start({ environment: ENVIRONMENT });
    services.push(own);
    fixture = await TestService.start({
      environment: ENVIRONMENT,
      override: (builder) => builder.overrideProvider(McpServers).useValue(new FixtureMcpServers()),
    });
    services.push(fixture);
  });
  afterAll(() => Promise.all(services.map((service) => service.stop())));

  it.each(OF_EVERY_SERVER)('%s passes with the unmodified product', async (scenario) => {
    const { code, text } = await conformance(own, ['--scenario', scenario]);

    expect(code === 0 ? [] : text.split('\n')).toEqual([]);
  });

  it('passes with its fixtures behind the product’s endpoint, except for the reasons in test/mcp-expected.yml', async () => {
    const { code, text } = await conformance(fixture, ['--suite', 'all', '--expected-failures', EXPECTED]);

    expect(code === 0 ? [] : text.split('\n')).toEqual([]);
    expect(text).toContain('tools-call-sampling');
  });
});
