/** The driver of Neo4j, unmodified, against the whole service. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import neo4j, { type Driver } from 'neo4j-driver';
import { TestService } from './support/test-service.ts';

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
    driver = neo4j.driver(`bolt://${service.boltAddress}`, neo4j.auth.basic('anyone', 'anything'));
  });
  afterEach(async () => {
    await driver.close();
    await service.stop();
  });

  it('reads nodes, relationships and paths', async () => {
    const { records, summary } = await driver.executeQuery(
      'MATCH p = (h:host)-[r:RUNS]->(s) RETURN h, r, p, s.tags AS tags, $x AS x',
      { x: neo4j.int(7) },
    );

    const [record] = records;
    expect(record?.get('h')).toMatchObject({ labels: ['host', 'Host'], properties: { name: 'web' } });
    expect(record?.get('r')).toMatchObject({ type: 'RUNS' });
    expect(record?.get('p')).toMatchObject({ length: 1 });
    expect(record?.get('tags')).toEqual(['a', 'b']);
    expect(record?.get('x')).toEqual(neo4j.int(7));
    expect(summary.server.protocolVersion).toMatchObject({ major: 5, minor: 8 });
  });
});
