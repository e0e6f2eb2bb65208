import { describe, expect, it } from '@jest/globals';
import { DiskError } from '#platform/disk';
import { failureText } from './failure.ts';

describe('the line for a file that cannot be used', () => {
  it.each([
    ['ENOENT', 'open', 'x: a.yaml: there is no such file or directory (open: ENOENT)'],
    ['EISDIR', 'read', 'x: a.yaml: expected a file, got a directory (read: EISDIR)'],
    ['EACCES', 'open', 'x: a.yaml: its permissions do not allow it (open: EACCES)'],
    ['EIO', 'read', 'x: read failed with EIO on a.yaml'],
  ])('says what is wrong: %s', (code, operation, line) => {
    expect(failureText(new DiskError(code, operation, 'a.yaml'), 'x: ')).toBe(line);
  });
});
