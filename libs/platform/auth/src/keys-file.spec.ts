import { beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { type AuditedChange, currentActor } from '#platform/audit';
import { NodeDisk } from '#platform/disk';
import { DomainError, Resources } from '#platform/foundation';
import { CrashDisk } from '#testing';
import { readUses, usesPath } from './key-uses.ts';
import { type KeysFile, openKeys } from './keys-file.ts';
import { GRAPH_ACCESS } from './permission.ts';

const PATH = '/etc/keys.yaml';
const lineOf = (name: string): string =>
  `  - { name: ${name}, role: viewer, sha256: ${createHash('sha256').update(`secret of ${name}`).digest('hex')} }`;

describe('a keys file in use', () => {
  let disk: CrashDisk;
  let events: string[];
  const note = (fields: object): void => void events.push(String(Reflect.get(fields, 'event')));
  const log = { info: note, warn: note, error: note };

  const write = async (...lines: readonly string[]): Promise<void> => {
    await disk.remove(PATH);
    await disk.writeNew(PATH, Buffer.from(lines.join('\n')));
  };
  const open = async (): Promise<KeysFile> => {
    const file = await openKeys({ disk, path: PATH, model: GRAPH_ACCESS, apiKey: undefined });
    if (file === undefined) throw new Error('expected a file');
    return file;
  };

  beforeEach(async () => {
    disk = new CrashDisk(1);
    events = [];
    await disk.makeDirectory('/etc');
    await write('keys:', lineOf('a'));
  });

  it('is none where the settings name none', async () => {
    const file = await openKeys({ disk, path: '', model: GRAPH_ACCESS, apiKey: undefined });

    expect(file).toBeUndefined();
  });

  it.each([
    ['a missing file', '/etc/none.yaml', '/etc/none.yaml: there is no such file'],
    ['a directory', '/etc', '/etc: '],
  ])('does not begin with %s', async (_what, path, message) => {
    await expect(openKeys({ disk, path, model: GRAPH_ACCESS, apiKey: undefined })).rejects.toThrow(message);
  });

  it('does not begin with a pipe or a device, which could not be read again', async () => {
    const opening = openKeys({
      disk: new NodeDisk(),
      path: '/dev/null',
      model: GRAPH_ACCESS,
      apiKey: undefined,
    });

    await expect(opening).rejects.toThrow('/dev/null: expected a file, got a pipe or a device');
  });

  it('is replaced by what the file says now', async () => {
    const { keyring, ...file } = await open().then((opened) => ({
      keyring: opened.keyring,
      reload: () => opened.reload(log),
    }));
    await write('keys:', lineOf('b'));
    await file.reload();
    await file.reload();

    expect([keyring.find('secret of a'), keyring.find('secret of b')?.name]).toEqual([undefined, 'b']);
    expect(events).toEqual(['keys.loaded']);
  });

  it('keeps the last good keys while the file is faulty or missing, and says so once for each fault', async () => {
    const file = await open();
    await write('keys: [{ name: a }]');
    await file.reload(log);
    await file.reload(log);
    await disk.remove(PATH);
    await file.reload(log);
    const kept = file.keyring.find('secret of a')?.name;
    await write('keys:', lineOf('a'));
    await file.reload(log);

    expect(kept).toBe('a');
    expect(events).toEqual(['keys.refused', 'keys.refused', 'keys.loaded']);
  });

  it('tells the audit of each change before it is in force, and changes nothing where that is not possible', async () => {
    const told: string[] = [];
    let isFull = false;
    const audit = {
      change: ({ target }: AuditedChange): void => {
        if (isFull) throw new DomainError('STORE_UNAVAILABLE', 'the trail is full');
        told.push(`${currentActor().what}: ${target}`);
      },
    };
    const resources = new Resources();
    const file = await open();
    await file.watch(resources, log, audit);
    const hash = 'a'.repeat(64);
    await write(
      'keys:',
      lineOf('b'),
      `  - { name: c, role: audit, sha256: ${hash}, until: 2030-01-01 }`,
      'roles:',
      '  audit: [metrics]',
    );
    await file.reload(log);
    await write(
      'keys:',
      lineOf('b').replace('viewer', 'admin'),
      `  - { name: c, role: scraper, sha256: ${hash} }`,
    );
    isFull = true;
    await file.reload(log);
    const before = file.keyring.find('secret of b')?.permissions.has('admin');
    isFull = false;
    await file.reload(log);
    const after = file.keyring.find('secret of b')?.permissions.has('admin');
    await write(
      'keys:',
      lineOf('b')
        .replace(/[0-9a-f]{64}/, hash)
        .replace('viewer', 'admin'),
    );
    await file.reload(log);
    await resources.close();

    expect([before, after]).toEqual([false, true]);
    expect(events).toEqual(['keys.loaded', 'keys.refused', 'keys.loaded', 'keys.loaded']);
    expect(told).toEqual([
      'keys file: keys at the start',
      'keys file: key a removed',
      'keys file: key b added: viewer',
      'keys file: key c added: audit until 2030-01-01',
      'keys file: role audit added: {"permissions":["metrics"]}',
      'keys file: key b changed: viewer, now admin',
      'keys file: key c changed: audit until 2030-01-01, now scraper',
      'keys file: role audit removed',
      'keys file: key c removed',
      'keys file: key b changed: another secret',
    ]);
  });

  it('keeps the last use of each key beside it when the program ends', async () => {
    const resources = new Resources();
    const file = await open();
    await file.watch(resources, log);
    file.keyring.find('secret of a');
    await resources.close();

    expect(Object.fromEntries(await readUses(disk, PATH))).toEqual({
      a: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('replaces a damaged file of the last uses', async () => {
    await disk.writeNew(usesPath(PATH), Buffer.from('{"a":"\xff"}', 'latin1'));
    const resources = new Resources();
    const file = await open();
    await file.watch(resources, log);
    file.keyring.find('secret of a');
    await resources.close();

    expect([...(await readUses(disk, PATH)).keys()]).toEqual(['a']);
  });
});
