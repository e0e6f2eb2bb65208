import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RefusedHandshake, TlsMaterial } from '#platform/grpc';
import { Story } from './story.ts';
import { TestEdge } from './test-edge.ts';
import { TestHive } from './test-hive.ts';

const SCRIPT = new URL('../../../../tools/make-certificates.sh', import.meta.url).pathname;

/** A certificate authority and the certificates that it has signed. */
class Authority {
  readonly #directory = mkdtempSync(join(tmpdir(), 'plexus-certificates-'));

  make(days: number, ...edgeIds: readonly string[]): void {
    execFileSync('sh', [SCRIPT, this.#directory, '127.0.0.1,localhost', ...edgeIds], {
      env: { ...process.env, DAYS: String(days) },
      stdio: 'pipe',
    });
  }

  material(name: string): TlsMaterial {
    const read = (file: string): Uint8Array => readFileSync(join(this.#directory, file));
    return { ca: read('ca.pem'), cert: read(`${name}.pem`), key: read(`${name}.key`) };
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true });
  }
}

describe('mutual TLS', () => {
  const ours = new Authority();
  const foreign = new Authority();
  let hive: TestHive;

  beforeAll(() => {
    ours.make(2, 'a', 'b');
    ours.make(-1, 'expired');
    foreign.make(2, 'a');
  });
  afterAll(() => {
    for (const authority of [ours, foreign]) authority.remove();
  });
  let refused: Story;
  beforeEach(async () => {
    refused = new Story();
    const onTlsRefused = ({ peer, reason }: RefusedHandshake): void => {
      refused.record(`${peer.replace(/:\d+$/, '')} ${reason}`);
    };
    hive = await TestHive.start({ tls: ours.material('hive'), onTlsRefused });
  });
  afterEach(() => hive.stop());

  /** The response of the hive, or of its TLS layer, to an edge with this material. */
  async function answerTo(edgeId: string, tls?: TlsMaterial): Promise<string> {
    const edge = new TestEdge(edgeId, { address: hive.address, tls });
    const line = await edge.story.has('connected');
    await edge.stop();
    return line;
  }

  it('admits an edge under the name in its certificate', async () => {
    expect(await answerTo('a', ours.material('a'))).toBe('connected');
  });

  it('rejects an edge under another name', async () => {
    expect(await answerTo('b', ours.material('a'))).toContain('the certificate does not name edge b');
    expect(hive.gateway.story.lines).toEqual(['refused b CERTIFICATE_INVALID']);
  });

  it('rejects an edge without a certificate', async () => {
    expect(await answerTo('a')).toContain('disconnected');
    expect(await refused.has('127.0.0.1')).toMatch(/^127\.0\.0\.1 ERR_SSL_/);
  });

  it('rejects an edge with a certificate of a foreign authority', async () => {
    const { ca } = ours.material('a');

    expect(await answerTo('a', { ...foreign.material('a'), ca })).toContain('disconnected');
    expect(hive.gateway.story.lines).toEqual([]);
    expect(await refused.has('127.0.0.1')).toMatch(/SELF_SIGNED|UNABLE_TO_/);
  });

  it('keeps an edge from connecting to a hive of a foreign authority', async () => {
    const { ca } = foreign.material('a');

    expect(await answerTo('a', { ...ours.material('a'), ca })).toContain('disconnected');
    expect(hive.gateway.story.lines).toEqual([]);
  });

  it('reports no fault for a valid certificate', async () => {
    const edge = await TestEdge.connect('a', { address: hive.address, tls: ours.material('a') });

    expect(hive.gateway.channels.get('a')?.certificateFault()).toBeUndefined();
    await edge.stop();
  });

  it('prevents the start of an edge and of a hive with an expired certificate', async () => {
    const tls = ours.material('expired');
    const refusal = expect.objectContaining({ code: 'CERTIFICATE_INVALID' });

    expect(() => new TestEdge('expired', { address: hive.address, tls })).toThrow(refusal);
    await expect(TestHive.start({ tls })).rejects.toEqual(refusal);
  });

  it('prevents the start of a hive with the key of another certificate, or with an invalid certificate', async () => {
    const { key } = ours.material('b');
    const refusal = expect.objectContaining({ code: 'CERTIFICATE_INVALID' });

    await expect(TestHive.start({ tls: { ...ours.material('a'), key } })).rejects.toEqual(refusal);
    await expect(TestHive.start({ tls: { ca: key, cert: key, key } })).rejects.toEqual(refusal);
  });
});
