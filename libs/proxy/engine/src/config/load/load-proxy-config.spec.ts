import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { makeCertificate } from '../../../test/certificate.ts';
import { type LoadedConfig, loadProxyConfig } from './load-proxy-config.ts';

const FILE = 'proxy.yaml';
const TEXT = `listeners:
  - { name: web, address: 127.0.0.1:8443, tls: { cert_file: cert.pem, key_file: key.pem } }
`;
const [first, second] = [makeCertificate('a.internal'), makeCertificate('b.internal')];
let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-config-'));
  await write('cert.pem', first.cert);
  await write('key.pem', first.key);
  await write(FILE, TEXT);
});
afterEach(() => rm(directory, { recursive: true }));

const write = (name: string, text: string | Uint8Array): Promise<void> =>
  writeFile(join(directory, name), text);
const load = (): Promise<LoadedConfig> =>
  loadProxyConfig({ disk: new NodeDisk(), file: join(directory, FILE), environment: {} });

describe('loadProxyConfig', () => {
  it('reads the files named by a configuration, relative to it', async () => {
    const { config, files } = await load();

    expect(config.listeners[0]?.tls?.certFile.text).toBe(first.cert);
    expect(files).toEqual([join(directory, 'cert.pem'), join(directory, 'key.pem')]);
  });

  it('changes the fingerprint with any of its files', async () => {
    const before = await load();
    const same = await load();
    await write('cert.pem', second.cert);
    await write('key.pem', second.key);
    const renewed = await load();
    await write(FILE, `${TEXT}# more\n`);
    const edited = await load();

    expect(same.fingerprint).toBe(before.fingerprint);
    expect(new Set([before, renewed, edited].map(({ fingerprint }) => fingerprint)).size).toBe(3);
  });

  it('reports every fault, including those of the named files', async () => {
    await write('key.pem', second.key);
    await write(FILE, `${TEXT}drain: { grace: 5 }\n`);

    const failure = await load().catch((error: unknown) => error);

    const path = join(directory, FILE);
    expect(failure).toMatchObject({
      code: 'INVALID_CONFIG',
      faults: [
        `${path}:2:48: listeners.0.tls: the private key belongs to another certificate`,
        `${path}:3:17: drain.grace: expected a duration from 0s to 24d, such as 200ms, 5s or 1h, got 5`,
      ],
    });
  });

  it.each([
    ['a missing file', async () => rm(join(directory, FILE)), ': cannot be read: ENOENT'],
    ['bytes that are no text', async () => write(FILE, Uint8Array.from([0xff, 0xfe, 0x00])), ':1:'],
    ['half of a file', async () => write(FILE, TEXT.slice(0, 60)), ':2:'],
    ['an empty file', async () => write(FILE, ''), ':1:1: expected a table'],
    ['too long a file', async () => write(FILE, '#'.repeat(2_000_000)), ': expected at most 1048576 bytes'],
  ])('rejects %s', async (_, spoil, message) => {
    await spoil();

    await expect(load()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(join(directory, FILE) + message) as unknown,
    });
  });

  it('names a certificate that is missing or a directory', async () => {
    await write(FILE, TEXT.replace('cert.pem', '.').replace('key.pem', 'none.pem'));

    await expect(load()).rejects.toMatchObject({
      faults: [expect.stringMatching(/got EISDIR$/), expect.stringMatching(/got ENOENT$/)],
    });
  });
});
