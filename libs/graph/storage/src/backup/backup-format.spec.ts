import { describe, expect, it } from '@jest/globals';
import { type BackupItem, BackupParser, encodeBackupHeader, encodeBackupItem } from './backup-format.ts';
import { crc32c } from '../encoding/crc32c.ts';
import { setU32 } from '../encoding/integers.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A backup of format 1 with one empty file. */
const ITEMS: BackupItem[] = [
  { kind: 'file', name: 'wal-0000000001', bytes: 2 },
  { kind: 'data', bytes: Uint8Array.of(7, 8) },
  { kind: 'end', files: 1, bytes: 2, seq: 5 },
];

describe('backup format 1', () => {
  it('is written byte for byte as in docs/formats/backup.md', () => {
    const json = (text: string): string => hex(Buffer.from(text));

    expect(hex(encodeBackupHeader())).toBe('504c455842414b00' + '01000000' + '5002d80b');
    expect(ITEMS.map((item) => hex(encodeBackupItem(item)))).toEqual([
      '23000000' + '2a391cef' + '01' + json('{"name":"wal-0000000001","bytes":2}'),
      '02000000' + 'fd60bfdf' + '02' + '0708',
      '1d000000' + '204b24ac' + '03' + json('{"files":1,"bytes":2,"seq":5}'),
    ]);
  });

  it('is read from pieces of any size', () => {
    const backup = Buffer.concat([encodeBackupHeader(), ...ITEMS.map(encodeBackupItem)]);

    for (let size = 1; size <= backup.length; size++) {
      const parser = new BackupParser();
      const items: BackupItem[] = [];
      for (let at = 0; at < backup.length; at += size) {
        for (const item of parser.push(backup.subarray(at, at + size))) items.push(item);
      }
      parser.finish();
      expect(items.map((item) => hex(encodeBackupItem(item)))).toEqual(
        ITEMS.map((item) => hex(encodeBackupItem(item))),
      );
    }
  });

  it('is distinguished from a newer format', () => {
    const header = encodeBackupHeader();
    setU32(header, 8, 2);
    setU32(header, 12, crc32c(header.subarray(0, 12)));

    expect(() => [...new BackupParser().push(header)]).toThrow(
      expect.objectContaining({ code: 'STORE_TOO_NEW' }),
    );
  });
});
