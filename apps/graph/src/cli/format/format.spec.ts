import { describe, expect, it } from '@jest/globals';
import { formatTable } from '#platform/cli';
import { csvLine } from '../query.ts';
import type { QueryReply } from './query-reply.ts';
import { replyTable } from './reply-table.ts';

describe('output formats', () => {
  it('sizes table columns to their content and removes control characters', () => {
    const text = formatTable(
      ['a', 'long name'],
      [
        ['\u001b[31mred', 'x'],
        ['y'.repeat(80), ''],
      ],
    );

    const [head = '', rule = '', first = '', second = ''] = text.split('\n');
    expect(head.trimEnd()).toBe(`${'a'.padEnd(60)}  long name`);
    expect(rule).toBe(`${'─'.repeat(60)}  ${'─'.repeat(9)}`);
    expect(first.startsWith(' [31mred ')).toBe(true);
    expect(second).toBe(`${'y'.repeat(59)}…`);
  });

  it('quotes CSV values that need quoting', () => {
    expect(csvLine(['a', 'b,c', 'd"e', 'f\ng', ''])).toBe('a,"b,c","d""e","f\ng",\r\n');
  });

  it('shows a bare count as a count', () => {
    expect(replyTable({ count: 4, entities: [], warnings: [] })).toEqual({
      columns: ['count'],
      rows: [['4']],
    });
  });

  it('shows a path as one row per node with the incoming relationship and its direction', () => {
    const [alice, admin, reader] = ['alice', 'admin', 'reader'].map((key) => ({
      id: key,
      type: 't',
      key,
      display_name: `the ${key}`,
    }));
    const path = {
      hops: 2,
      nodes: [alice, admin, reader],
      relationships: [
        { verb: 'ASSIGNED', from: alice, to: admin },
        { verb: 'TRUSTS', from: reader, to: admin },
      ],
    };

    const table = replyTable(
      JSON.parse(JSON.stringify({ count: 1, entities: [], warnings: [], paths: [path] })) as QueryReply,
    );

    expect(table.columns).toEqual(['hop', 'via', 'type', 'key', 'display_name']);
    expect(table.rows).toEqual([
      ['0', '', 't', 'alice', 'the alice'],
      ['1', '─ASSIGNED→', 't', 'admin', 'the admin'],
      ['2', '←TRUSTS─', 't', 'reader', 'the reader'],
    ]);
  });

  it('shows a blast radius with names', () => {
    const entity = { id: 'a', type: 't', key: 'a', display_name: 'the a' };
    const table = replyTable(
      JSON.parse(
        JSON.stringify({ count: 1, entities: [], warnings: [], impacted: [{ depth: 1, entity, via: null }] }),
      ) as QueryReply,
    );

    expect(table).toEqual({
      columns: ['depth', 'type', 'key', 'display_name', 'via'],
      rows: [['1', 't', 'a', 'the a', '']],
    });
  });

  it('shows the fields of a group, and not both key and keys', () => {
    const one = replyTable({ count: 1, entities: [], warnings: [], groups: [{ key: 'a', count: 2 }] });
    const two = replyTable({
      count: 1,
      entities: [],
      warnings: [],
      groups: [{ key: 'a', keys: ['a', null], count: 2 }],
    });

    expect(one).toEqual({ columns: ['key', 'count'], rows: [['a', '2']] });
    expect(two).toEqual({ columns: ['keys', 'count'], rows: [['["a",null]', '2']] });
  });
});
