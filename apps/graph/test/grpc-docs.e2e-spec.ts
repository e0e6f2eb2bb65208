/** The documentation begins with a first command and its output. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Metadata } from '@grpc/grpc-js';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ReflectingClient } from './support/reflecting-client.ts';
import { TestService } from './support/test-service.ts';

const GUIDE = readFileSync(fileURLToPath(new URL('../../../docs/grpc.md', import.meta.url)), 'utf8');

function blocks(language: string): readonly string[] {
  return Array.from(
    GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm')),
    ([, text = '']) => text,
  );
}

/** The requests in grpcurl command lines, with their methods. */
function commands(block: string): readonly (readonly [method: string, request: object])[] {
  return block
    .replaceAll('\\\n', ' ')
    .trim()
    .split('\n')
    .map((line) => {
      const [, request = '', method = ''] =
        /^grpcurl -plaintext -d '(.+)' +127\.0\.0\.1:7701 (\S+)$/.exec(line) ?? [];
      return [method, JSON.parse(request) as object];
    });
}

const withoutTime = (text: string): string => text.replace(/"tookMs":[\d.]+/, '"tookMs":0');

describe('docs/grpc.md', () => {
  let service: TestService;
  let client: ReflectingClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: { PLEXUS_GRPC_PORT: '0' } });
    client = new ReflectingClient(service.grpcAddress, new Metadata());
  });
  afterAll(async () => {
    client.close();
    await service.stop();
  });

  it('begins with a call and its actual answer', async () => {
    const [, calls = ''] = blocks('sh');
    const [answers = ''] = blocks('json');
    const told: string[] = [];
    for (const [method, request] of commands(calls)) {
      for (const reply of await client.call(method, request)) told.push(JSON.stringify(reply));
    }

    const shown = answers.trim().split('\n');
    expect(told.map(withoutTime)).toEqual(shown.map((line) => withoutTime(JSON.stringify(JSON.parse(line)))));
  });

  it('names every method of the service', async () => {
    const described = await client.describe('plexus.graph.v1.Graph');

    const methods = Object.keys(described['plexus.graph.v1.Graph'] ?? {});
    expect(methods.filter((method) => !GUIDE.includes(`| \`${method}\``))).toEqual([]);
    expect(methods).toHaveLength(8);
  });
});
