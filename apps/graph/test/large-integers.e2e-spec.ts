import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestService } from './support/test-service.ts';

const ENTITY = '{"type":"host","key":"a","properties":{"big":9007199254740993,"list":[1,-9007199254740993]}}';
const NDJSON = { 'Content-Type': 'application/x-ndjson' };

describe('an integer beyond the exact range', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start();
  });
  afterEach(() => service.stop());

  async function stored(): Promise<unknown> {
    const { entities } = await service.query('FIND host');
    return entities[0]?.['properties'];
  }

  const sync = `{"connector_id":"x","sync_id":"1","entities":[${ENTITY}]}`;
  const write = `{"entities":[${ENTITY}]}`;

  it.each([
    ['/v1/ingest/sync', sync],
    ['/v1/ingest/write', write],
    ['/v1/ingest/sync', sync.replace('"sync_id"', '"mode":"patch","sync_id"')],
  ])('is taken as it stands, and shown as text: %s', async (path, body) => {
    await service.json(200, 'POST', path, body);

    expect(await stored()).toEqual({ big: '9007199254740993', list: ['1', '-9007199254740993'] });
    const cypher = 'MATCH (n:host) RETURN n.big + 1 = 9007199254740994, n.list[0] = 1, n.list[1] < 0';
    expect(await service.json(200, 'POST', '/v1/cypher', { cypher })).toMatchObject({
      rows: [[true, true, true]],
    });
  });

  it.each(['9223372036854775808', '-9223372036854775809'])(
    'is refused beyond 64 bits: %s',
    async (digits) => {
      const body = `{"entities":[{"type":"host","key":"a","properties":{"big":${digits}}}]}`;

      expect(await service.json(400, 'POST', '/v1/ingest/write', body)).toMatchObject({
        error: 'INVALID_REQUEST',
        message: expect.stringContaining('expected an integer of 64 bits'),
        details: { field: 'entities[0].properties.big' },
      });
      expect(await stored()).toBeUndefined();
    },
  );

  it.each([
    ['/v1/ingest/sync', sync],
    ['/v1/ingest/write', write],
  ])('is text where that is asked for, with its whole list: %s', async (path, body) => {
    await service.json(200, 'POST', `${path}?large_integers=string`, body);

    expect(await stored()).toEqual({ big: '9007199254740993', list: ['1', '-9007199254740993'] });
    const cypher = "MATCH (n:host) RETURN n.big = '9007199254740993'";
    expect(await service.json(200, 'POST', '/v1/cypher', { cypher })).toMatchObject({ rows: [[true]] });
  });

  it('is an error of its line in a bulk load beyond 64 bits, or text on request', async () => {
    const line = ENTITY.replace('{', '{"op":"entity",').replace('9007199254740993,', '99007199254740993000,');

    const refused = await service.json(200, 'POST', '/v1/ingest/bulk', line, NDJSON);
    const taken = await service.json(200, 'POST', '/v1/ingest/bulk?large_integers=string', line, NDJSON);

    expect(refused).toMatchObject({ error_count: 1, errors: [{ line: 1, code: 'INVALID_REQUEST' }] });
    expect(refused.errors[0]?.['message']).toContain('properties.big: expected an integer');
    expect(taken).toMatchObject({ error_count: 0, entities_written: 1 });
    expect(await stored()).toMatchObject({ big: '99007199254740993000' });
  });

  it.each([
    ['a default', '"parameters":{"n":{"type":"number","default":9007199254740993}}', 'parameters.n.default'],
    [
      'a list',
      '"parameters":{"n":{"type":"list","default":[1,9007199254740993]}}',
      'parameters.n.default[1]',
    ],
  ])('is refused in %s of a rule, by its path', async (_what, part, field) => {
    const rule = `{"id":"r","name":"R","severity":"low","query":"FIND host",${part}}`;

    const one = await service.json(400, 'PUT', '/v1/policies/r', rule);
    const set = await service.json(400, 'POST', '/v1/policies', `{"rules":[${rule}]}`);

    expect(one).toMatchObject({ error: 'POLICY_INVALID', details: { field } });
    expect(set).toMatchObject({ error: 'POLICY_INVALID', details: { field: `rules[0].${field}` } });
    expect(set['message']).toContain('expected an integer from -9007199254740991 to 9007199254740991');
  });

  it('is rejected in a rule file with line and column', async () => {
    const text = [
      'rules:',
      '  - { id: r, name: R, severity: low, query: FIND host,',
      '      parameters: { n: { type: number, default: 9007199254740993 } } }',
    ].join('\n');

    const reply = await service.json(400, 'POST', '/v1/policies', text, {
      'Content-Type': 'application/yaml',
    });

    expect(reply).toMatchObject({ error: 'POLICY_INVALID', details: { line: 3, column: 49 } });
  });

  it('is taken in a batch of a session', async () => {
    const body = { connector_id: 'x', sync_id: '1' };
    const { session_id: id } = await service.json(201, 'POST', '/v1/ingest/sessions', body);
    const path = `/v1/ingest/sessions/${String(id)}/batches/1`;

    await service.json(200, 'PUT', path, write);
    await service.json(200, 'POST', `/v1/ingest/sessions/${String(id)}/commit`, {});

    const cypher = 'MATCH (n:host) RETURN n.big = 9007199254740993';
    expect(await service.json(200, 'POST', '/v1/cypher', { cypher })).toMatchObject({ rows: [[true]] });
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['1e300', 1e300],
    ['1234567890123456.5', 1234567890123456.5],
    ['"9007199254740993"', '9007199254740993'],
  ])('is not meant by %s', async (text, value) => {
    const body = `{"entities":[{"type":"host","key":"a","properties":{"n":${text}}}]}`;
    await service.json(200, 'POST', '/v1/ingest/write', body);

    expect(await stored()).toEqual({ n: value });
  });

  it.each([
    [`{"pql":"FIND host WITH n = $id","params":{"id":9007199254740993}}`, 'params.id'],
    [`{"pql":"FIND host WITH n = $1","params":[-9007199254740993]}`, 'params.1'],
    [`{"pql":"FIND host WITH n IN $ids","params":{"ids":[1,9007199254740993]}}`, 'params.ids'],
    [`{"pql":"FIND host","limit":9007199254740993}`, 'limit'],
  ])('is refused as a parameter of a query: %s', async (body, field) => {
    expect(await service.json(400, 'POST', '/v1/query', body)).toMatchObject({
      error: 'INVALID_REQUEST',
      details: { field },
    });
  });

  it('is rejected as a parameter of an evaluation', async () => {
    const body = '{"params":{"ids":[9007199254740993]}}';

    expect(await service.json(400, 'POST', '/v1/policies/evaluate', body)).toMatchObject({
      details: { field: 'params.ids' },
    });
  });

  it('is an error at its position in a query', async () => {
    const asked = (number: string) => ({ pql: `FIND host WITH n = ${number}` });

    expect(await service.json(400, 'POST', '/v1/query', asked('-9007199254740992'))).toMatchObject({
      error: 'PQL_SYNTAX',
      message: expect.stringContaining('from -9007199254740991 to 9007199254740991'),
      details: { position: 19, length: 17 },
    });
    await service.json(200, 'POST', '/v1/query', asked('9007199254740991'));
    await service.json(200, 'POST', '/v1/query', asked('9007199254740993.0'));
    await service.json(200, 'POST', '/v1/query', asked('1e300'));
  });

  it.each([
    ['{"entities":[{"type":"host","key":9007199254740993}]}', 'entities[0].key'],
    ['{"entities":[{"type":"host","key":"a","properties":9007199254740993}]}', 'entities[0].properties'],
    ['{"entities":9007199254740993}', 'entities'],
  ])('stands in no other field: %s', async (body, field) => {
    expect(await service.json(400, 'POST', '/v1/ingest/write', body)).toMatchObject({ details: { field } });
  });
});
