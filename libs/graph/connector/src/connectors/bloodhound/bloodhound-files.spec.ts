import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestZipMember, writeTestZip } from '#graph/testing';
import { CollectionDirectory, documentOf, DOCUMENTS, FILES } from '../../../test/sharphound-collection.ts';

const MEMBERS: readonly TestZipMember[] = DOCUMENTS.map(([name, content]) => ({ name, content }));

let directory: CollectionDirectory;

beforeAll(async () => {
  directory = await CollectionDirectory.open();
});
afterAll(() => directory.close());

const users = documentOf('users', FILES['users'] ?? []);
const bomb = Buffer.alloc(40_000_000, 0x20);

describe('a collection', () => {
  it.each([
    ['cut', users.slice(0, 200), 'expected a JSON document, got one that ends at byte 200'],
    [
      'cut by its tool',
      users.replace('"count":2', '"count":3'),
      'meta.count: expected 3 objects, got 2: the file is cut',
    ],
    [
      'without a description',
      '{"data": []}',
      'expected a file of SharpHound, AzureHound or OpenGraph, got a document',
    ],
    [
      'of another tool',
      documentOf('hosts', []),
      'meta.type: expected azure or a type of SharpHound, got hosts',
    ],
    ['in UTF-16', Buffer.from(`\ufeff${users}`, 'utf16le'), 'expected a JSON document, got text in UTF-16'],
    ['of another version', documentOf('users', [], 4), 'meta.version: expected 5 or 6, got 4'],
    [
      'with a broken object',
      '{"data": [{"a": tru}], "meta": {"type": "users", "version": 6}}',
      'expected JSON in data[0]',
    ],
    ['of a larger size', bomb, 'expected at most 250 times the size in the zip'],
  ])('in a zip with a member that is %s fails with its name', async (_, text, reason) => {
    const members = [...MEMBERS.slice(0, 1), { name: 'deep/bad.json', content: text }];
    await writeTestZip(join(directory.path, 'bad.zip'), members);

    const { report } = await directory.run('bad.zip');

    expect(report).toMatchObject({ status: 'failed', entities: 0 });
    expect(report.steps[0]?.reason).toContain(`bad.zip/deep/bad.json: ${reason}`);
  });

  it.each([
    ['damaged', { sum: 7 }, 'expected a whole member, got one that is damaged'],
    ['shorter than it says', { size: users.length + 1 }, 'expected a whole member, got'],
    ['longer than it says', { size: 10 }, 'expected a whole member, got'],
    ['encrypted', { isEncrypted: true }, 'expected a readable member, got an encrypted one'],
  ])('in a zip with a member that is %s fails with its name', async (_, damage, reason) => {
    await writeTestZip(join(directory.path, 'bad.zip'), [{ name: 'users.json', content: users, ...damage }]);

    const { report } = await directory.run('bad.zip');

    expect(report.status).toBe('failed');
    expect(report.steps[0]?.reason).toContain(`bad.zip/users.json: ${reason}`);
  });

  it('in a zip that is cut fails with the name of the zip', async () => {
    await writeTestZip(join(directory.path, 'bad.zip'), MEMBERS);
    await truncate(join(directory.path, 'bad.zip'), 500);

    const { report } = await directory.run('bad.zip');

    expect(report.steps[0]?.reason).toContain('bad.zip: expected a zip, got');
  });

  it.each<[string, readonly TestZipMember[], string]>([
    [
      'with names that lead out of it',
      [{ name: '../../etc/users.json', content: users }],
      'expected a zip, got invalid relative path: ../../etc/users.json',
    ],
    [
      'with an absolute name',
      [{ name: '/etc/users.json', content: users }],
      'expected a zip, got absolute path',
    ],
    [
      'without a document',
      [{ name: 'inner.zip', content: 'PK' }],
      'expected files of a collector (.json), got none',
    ],
    [
      'with a name twice',
      [
        { name: 'users.json', content: users },
        { name: 'users.json', content: users },
      ],
      'expected members of different names, got users.json twice',
    ],
    [
      'whose members share their bytes',
      [
        { name: '0.json', content: users },
        ...Array.from({ length: 99 }, (_, at) => ({
          name: `${at + 1}.json`,
          content: '',
          isOverlapping: true,
        })),
      ],
      'expected members beside each other, got ',
    ],
  ])('in a zip %s fails with the name of the zip', async (_, members, reason) => {
    await writeTestZip(join(directory.path, 'bad.zip'), members);

    const { report } = await directory.run('bad.zip');

    expect(report).toMatchObject({ status: 'failed', entities: 0 });
    expect(report.steps[0]?.reason).toContain(`bad.zip: ${reason}`);
  });
});
