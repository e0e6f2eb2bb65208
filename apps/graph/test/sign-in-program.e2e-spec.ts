/** What the program writes about tokens and sign-ins. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './support/built-program.ts';
import { Jar, visit, wayBack } from './support/page-visitor.ts';
import { TestProvider } from './support/test-provider.ts';

describe('plexus serve with single sign-on', () => {
  let directory: string;
  let provider: TestProvider;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-sign-on-'));
    provider = await TestProvider.start();
    provider.groups.set('alice', ['platform']);
  });
  afterEach(async () => {
    await provider.stop();
    await rm(directory, { recursive: true });
  });

  it('logs requests, refused tokens and failed sign-ins without token, code, state and cookie', async () => {
    const environment = { ...provider.environment({ platform: 'editor' }), PLEXUS_LOG_LEVEL: 'debug' };
    const server = await startServer(['--data-dir', directory], environment);
    provider.serve(server.url);
    const jar = new Jar();
    const url = await wayBack(server.url, jar, 'alice');
    const parts = new URL(url).searchParams;
    const pending = jar.get('plexus-sign-in') ?? '';
    await visit(url, jar);
    await visit(url, new Jar());
    const session = jar.get('plexus-session') ?? '';
    const tokens = [await provider.signed({ groups: ['platform'] }), await provider.token('urn:another')];
    for (const token of tokens)
      await fetch(`${server.url}/v1/stats`, { headers: { Authorization: `Bearer ${token}` } });
    await visit(`${server.url}/v1/session`, jar);
    const code = await server.end('SIGTERM');
    const log = server.log.join('\n');

    expect(code).toBe(0);
    expect(log).toContain('oidc.token_refused');
    expect(log).toContain('oidc.sign_in_failed');
    const secrets = [parts.get('code'), parts.get('state'), pending, session.split('.')[1], ...tokens];
    for (const secret of secrets) {
      expect(secret).toMatch(/^.{20}/);
      expect(log).not.toContain(secret);
    }
  });
});
