/** The driver of Neo4j, unmodified, against the whole service. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import neo4j, { type Driver } from 'neo4j-driver';
import { TestService } from './support/test-service.ts';

const { types } = neo4j;

/** One of each kind, and what is hard about it. */
const VALUES = {
  null: null,
  true: true,
  integers: [0n, -16n, -17n, 127n, 128n, -129n, 32_768n, 2n ** 31n, -(2n ** 31n) - 1n],
  largest: 2n ** 63n - 1n,
  smallest: -(2n ** 63n),
  floats: [0.5, -0, NaN, Infinity, -Infinity, Number.MAX_VALUE],
  texts: ['', 'a', 'ä€𝄞'.repeat(100), '\uFEFFx', 'x'.repeat(70_000)],
  map: { a: { b: [[], {}, [1n, 'x']] } },
  date: new types.Date(-1n, 2n, 28n),
  localTime: new types.LocalTime(23n, 59n, 59n, 999_999_999n),
  time: new types.Time(1n, 2n, 3n, 4n, -3_600n),
  localDateTime: new types.LocalDateTime(1969n, 12n, 31n, 23n, 59n, 59n, 1n),
  dateTime: new types.DateTime(2024n, 2n, 29n, 12n, 0n, 0n, 5n, 5_400n),
  duration: new types.Duration(14n, -3n, 7n, 500_000_000n),
  point: new types.Point(4_326n, 11.9, 57.7),
  point3d: new types.Point(9_157n, 1, 2, 3),
};

describe('neo4j-driver', () => {
  let service: TestService;
  let driver: Driver;

  beforeEach(async () => {
    service = await TestService.start({ environment: { PLEXUS_BOLT_PORT: '0' } });
    await service.json(200, 'POST', '/v1/ingest/write', {
      entities: [
        { type: 'host', class: 'Host', key: 'web', properties: { name: 'web', cores: 4, load: 0.5 } },
        { type: 'service', class: 'Service', key: 'api', properties: { name: 'api', tags: ['a', 'b'] } },
      ],
      relationships: [
        { from: { type: 'host', key: 'web' }, verb: 'RUNS', to: { type: 'service', key: 'api' } },
      ],
    });
    driver = neo4j.driver(`bolt://${service.boltAddress}`, neo4j.auth.basic('anyone', 'anything'), {
      useBigInt: true,
    });
  });
  afterEach(async () => {
    await driver.close();
    await service.stop();
  });

  it('gets every value back as it was sent', async () => {
    const zoned = new types.DateTime(2024n, 7n, 1n, 12n, 0n, 0n, 5n, undefined, 'Europe/Stockholm');
    const { records } = await driver.executeQuery('RETURN $values AS values, $zoned AS zoned', {
      values: VALUES,
      zoned,
    });

    expect(records[0]?.get('values')).toEqual(VALUES);
    expect(String(records[0]?.get('zoned'))).toBe('2024-07-01T12:00:00.000000005+02:00[Europe/Stockholm]');
  });

  it('reads nodes, relationships and paths', async () => {
    const { records, summary } = await driver.executeQuery(
      'MATCH p = (h:host)-[r:RUNS]->(s) RETURN h, r, p, s.tags AS tags, $x AS x',
      { x: 7n },
    );

    const [record] = records;
    expect(record?.get('h')).toMatchObject({ labels: ['host', 'Host'], properties: { name: 'web' } });
    expect(record?.get('r')).toMatchObject({ type: 'RUNS' });
    expect(record?.get('p')).toMatchObject({ length: 1 });
    expect(record?.get('tags')).toEqual(['a', 'b']);
    expect(record?.get('x')).toBe(7n);
    expect(summary.server.protocolVersion).toMatchObject({ major: 5, minor: 8 });
  });
});
