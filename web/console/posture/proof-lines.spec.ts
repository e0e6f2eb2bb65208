import { describe, expect, it } from '@jest/globals';
import { proofLines } from './proof-lines.ts';

const REPLY = { count: 1, entities: [], warnings: [], snapshot_version: 1, took_ms: 1 };
const HOST = { type: 'host', key: 'a', display_name: 'A' };
const LINK = { verb: 'CONNECTS' };

describe('proofLines', () => {
  it('formats rows as entities and verbs, and other values unchanged', () => {
    const rows = [[HOST, LINK, { type: 'host', key: 'b' }, 3, null]];

    expect(proofLines({ ...REPLY, rows })).toEqual([
      [
        { kind: 'entity', name: 'A', type: 'host' },
        { kind: 'verb', name: 'CONNECTS' },
        { kind: 'entity', name: 'b', type: 'host' },
        { kind: 'entity', name: '3' },
        { kind: 'entity', name: 'null' },
      ],
    ]);
  });

  it('formats a result without rows as a list of entities', () => {
    expect(proofLines(REPLY)).toEqual([]);
  });
});
