import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { referenceRows, referenceTable } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { EDGE_SHAPE, type EdgeConfig, readEdgeFile, readTlsFiles } from './edge-config.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
const MAKE_CERTIFICATES = join(ROOT, 'tools/make-certificates.sh');
const PAGE = join(ROOT, 'docs/edge-toml.md');
const LEAST = 'edge_id = "edge-1"\n[hive]\naddress = "127.0.0.1:9090"\n';

async function inFolder<T>(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'plexus-edge-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function read(text: string): Promise<EdgeConfig> {
  return inFolder({ 'edge.toml': text }, (folder) => readEdgeFile(new NodeDisk(), join(folder, 'edge.toml')));
}

describe('edge.toml', () => {
  it('requires an id and a hive, and has defaults for all other keys', async () => {
    expect(await read(LEAST)).toEqual({
      edge_id: 'edge-1',
      labels: {},
      workers: 0,
      hive: { address: '127.0.0.1:9090' },
      metrics: {},
      telemetry: { buffer_size: 65_536, batch_size: 1_024, flush_ms: 200 },
      rpc: { connections: 4_096 },
    });
  });

  it('accepts all keys', async () => {
    const config = await read(
      `${LEAST}[labels]\nzone = "a"\n[telemetry]\nbuffer_size = 2048\n[tls]\nca = "a"\ncert = "b"\nkey = "c"\n`,
    );

    expect(config).toMatchObject({
      labels: { zone: 'a' },
      telemetry: { buffer_size: 2_048, batch_size: 1_024 },
      tls: { ca: 'a', cert: 'b', key: 'c' },
    });
  });

  it.each([
    ['', ['edge_id: missing', 'hive: missing']],
    [LEAST.replace('edge_id', 'edgeid'), ['edge_id: missing', 'edgeid: no such key, did you mean edge_id?']],
    [`${LEAST}[telemetry]\nbufer_size = 1`, ['telemetry.bufer_size: no such key, did you mean buffer_size?']],
    [`${LEAST}[telemetry]\nbuffer_size = "many"`, ['telemetry.buffer_size: expected a whole number']],
    [`${LEAST}[telemetry]\nbuffer_size = 1.5`, ['telemetry.buffer_size: expected a whole number']],
    [
      `${LEAST}[telemetry]\nbuffer_size = 0\nbatch_size = -1`,
      ['buffer_size: expected', 'batch_size: expected'],
    ],
    [`${LEAST}[tls]\nca = "ca.pem"`, ['tls.cert: missing', 'tls.key: missing']],
    [LEAST.replace('127.0.0.1:9090', 'hive'), ['hive.address: expected host:port']],
    [LEAST.replace('edge-1', '../up'), ['edge_id: expected 1 to 64 letters']],
    [`${LEAST}__proto__ = 1`, ['__proto__']],
    ['edge_id = ', [/edge\.toml:1:\d+: /]],
    ['[a]\n[a]', [/edge\.toml:2:\d+: /]],
  ])('is refused with all its faults: %j', async (text, faults) => {
    const error = await read(text).catch((refusal: unknown) => refusal);

    expect(error).toMatchObject({ code: 'INVALID_CONFIG' });
    for (const fault of faults) expect(String(error)).toMatch(fault);
  });

  it('names a missing file', async () => {
    await expect(readEdgeFile(new NodeDisk(), '/no/such/edge.toml')).rejects.toThrow(
      '/no/such/edge.toml: cannot be read: ENOENT',
    );
  });

  it('refuses a device as a certificate, which could not be read again', async () => {
    const tls = { ca: '/dev/null', cert: '/dev/null', key: '/dev/null' };
    const config = { ...(await read(LEAST)), tls };

    await expect(readTlsFiles(new NodeDisk(), '/edge.toml', config)).rejects.toThrow(
      '/dev/null: expected a file, got a pipe or a device',
    );
  });

  it('resolves certificate paths relative to its directory', async () => {
    const text = `${LEAST}[tls]\nca = "ca.pem"\ncert = "edge.pem"\nkey = "edge.key"\n`;

    await inFolder({ 'edge.toml': text }, async (folder) => {
      execFileSync('sh', [MAKE_CERTIFICATES, folder, '127.0.0.1', 'edge'], { stdio: 'pipe' });
      const file = join(folder, 'edge.toml');

      const tls = await readTlsFiles(new NodeDisk(), file, await readEdgeFile(new NodeDisk(), file));

      const [ca, cert, key] = await Promise.all(
        ['ca.pem', 'edge.pem', 'edge.key'].map((name) => readFile(join(folder, name), 'utf8')),
      );
      const texts = Object.entries(tls ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]);
      expect(Object.fromEntries(texts)).toEqual({ ca, cert, key });
    });
  });

  it('has a valid sample', async () => {
    await expect(readEdgeFile(new NodeDisk(), join(ROOT, 'samples/edge.toml'))).resolves.toMatchObject({
      edge_id: 'edge-1',
    });
  });

  it('has all keys on its documentation page (UPDATE_GOLDEN=1 rewrites it)', async () => {
    const page = await readFile(PAGE, 'utf8');
    const keys = referenceTable(referenceRows(EDGE_SHAPE));
    const wanted = page.replace(
      /<!-- keys -->.*<!-- \/keys -->/s,
      () => `<!-- keys -->\n\n${keys}\n\n<!-- /keys -->`,
    );

    if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(PAGE, wanted);
    else expect(page).toBe(wanted);
  });
});
