import { describe, expect, it } from '@jest/globals';
import { entity, NaiveReader, relationship, TextSink } from '#graph/testing';
import { QueryEngine } from '../../src/execute/engine/query-engine.ts';
import { encodeResult } from '../../src/result/encode-result.ts';

const WEB = entity('host', 'Host', 'web', { _module_name: 'ec2', class: 'small', os: 'linux' });
const DB = entity('host', 'Host', 'db', { _module_name: 'rds' });
const reader = new NaiveReader({
  entities: [WEB, DB],
  relationships: [relationship(WEB, 'USES', DB, { _module_name: 'net' })],
});
const engine = new QueryEngine({ vocabulary: { hasClass: () => true, hasVerb: () => true } });

async function rowsOf(pql: string): Promise<unknown> {
  const sink = new TextSink();
  encodeResult(await engine.run(reader, pql), reader, sink, { offset: 0, limit: 10, tookMs: 0 });
  return (JSON.parse(sink.text) as { rows: unknown }).rows;
}

describe('properties with the names of fields of the record', () => {
  it('are read as [properties.…], the fields of the record as before', async () => {
    expect(await rowsOf("FIND host WITH [properties._module_name] = 'ec2' RETURN _key, class")).toEqual([
      ['web', 'Host'],
    ]);
    expect(await rowsOf('FIND host AS h RETURN h._key, h.[properties.class]')).toEqual([
      ['db', null],
      ['web', 'small'],
    ]);
    expect(await rowsOf('FIND host AS h THAT USES >> AS u host RETURN u.[properties._module_name]')).toEqual([
      ['net'],
    ]);
  });

  it('are named by the hint where the field of the record does not exist', async () => {
    const { warnings } = await engine.run(reader, "FIND host WITH _module_name = 'ec2'");

    expect(warnings).toMatchObject([{ code: 'UNKNOWN_PROPERTY', nearest: 'properties._module_name' }]);
  });
});
