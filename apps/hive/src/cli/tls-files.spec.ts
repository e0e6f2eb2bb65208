import { describe, expect, it } from '@jest/globals';
import { access, constants } from 'node:fs/promises';
import { parseSettings } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { SETTING_TABLE } from '../settings.ts';
import { readTlsFiles } from './serve.ts';

/** A disk that returns the first requested file last. */
class SlowFirstDisk extends NodeDisk {
  #asked = 0;

  override async readBytes(path: string): Promise<Uint8Array> {
    const turns = this.#asked++ === 0 ? 50 : 0;
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    return super.readBytes(path);
  }
}

describe('readTlsFiles', () => {
  it('reports the first of several unreadable files, independent of the order of reads', async () => {
    const flags = { tlsCa: '/no/ca.pem', tlsCert: '/no/cert.pem', tlsKey: '/no/key.pem' };
    const settings = parseSettings(SETTING_TABLE, { environment: {}, flags, prefix: 'PLEXUS_HIVE_' });

    for (let round = 0; round < 5; round++) {
      await expect(readTlsFiles(new SlowFirstDisk(), settings)).rejects.toThrow('/no/ca.pem: cannot be read');
    }
  });

  it('expects tools/make-certificates.sh to be executable', async () => {
    const script = new URL('../../../../tools/make-certificates.sh', import.meta.url);

    await expect(access(script, constants.X_OK)).resolves.toBeUndefined();
  });
});
