import { describe, expect, it } from '@jest/globals';
import { completed } from '#platform/foundation';
import * as steps from './parse-requests.ts';

const { parseBulkOperation, parseSyncScope } = steps;
const parseSyncRequest = (body: unknown): unknown => completed(steps.parseSyncRequest(body));
const parseWriteRequest = (body: unknown): unknown => completed(steps.parseWriteRequest(body));

const id = '0123456789abcdef0123456789abcdef';
const web = { type: 'host', key: 'web-01' };
const link = { from: web, verb: 'RUNS', to: { type: 'service', key: 'nginx' } };

function refusal(field: string): unknown {
  return expect.objectContaining({ code: 'INVALID_REQUEST', details: { field } });
}

describe('parseWriteRequest', () => {
  it('reads upserts and deletes', () => {
    const body = {
      write_id: 'w',
      connector_id: 'c',
      entities: [{ ...web, properties: { cpu: 4 } }],
      relationships: [link],
      delete: { entities: [id, web], relationships: [id, link] },
    };

    expect(parseWriteRequest(body)).toEqual({
      writeId: 'w',
      connectorId: 'c',
      entities: [{ ...web, properties: { cpu: 4 } }],
      relationships: [{ ...link, properties: {} }],
      delete: { entities: [id, web], relationships: [id, link] },
    });
  });

  it.each([
    ['a list', [], ''],
    ['an unknown field', { entitys: [] }, 'entitys'],
    ['a text for entities', { entities: 'x' }, 'entities'],
    ['a bad entity', { entities: [web, { type: 'host' }] }, 'entities[1].key'],
    [
      'a bad property',
      { entities: [{ ...web, properties: { cpu: Infinity } }] },
      'entities[0].properties.cpu',
    ],
    ['a bad end', { relationships: [{ ...link, to: 1 }] }, 'relationships[0].to'],
    ['a bad id', { delete: { entities: ['x'] } }, 'delete.entities[0]'],
    ['an unknown delete', { delete: { entity: [] } }, 'delete.entity'],
    ['an empty connector', { connector_id: '' }, 'connector_id'],
  ])('rejects %s and names the field', (_name, body, field) => {
    expect(() => parseWriteRequest(body)).toThrow(refusal(field));
  });
});

describe('parseSyncRequest', () => {
  it('uses the mode diff by default', () => {
    const body = {
      connector_id: 'c',
      sync_id: 's',
      partial_types: ['host'],
      partial_relationships: [{ verb: 'RUNS', end: 'to', type: 'service', key: 'nginx' }],
      force: true,
      max_delete_ratio: 0.9,
    };

    expect(parseSyncRequest(body)).toMatchObject({
      connectorId: 'c',
      syncId: 's',
      mode: 'diff',
      partialTypes: ['host'],
      partialRelationships: [{ verb: 'RUNS', end: 'to', type: 'service', key: 'nginx' }],
      force: true,
      maxDeleteRatio: 0.9,
    });
  });

  it.each([
    ['no connector', { sync_id: 's' }, 'connector_id'],
    ['no sync id', { connector_id: 'c' }, 'sync_id'],
    ['an unknown mode', { connector_id: 'c', sync_id: 's', mode: 'full' }, 'mode'],
    ['a ratio beyond 1', { connector_id: 'c', sync_id: 's', max_delete_ratio: 2 }, 'max_delete_ratio'],
    [
      'partial relationships without an end',
      { connector_id: 'c', sync_id: 's', partial_relationships: [{ verb: 'RUNS', type: 'host', key: 'a' }] },
      'partial_relationships[0].end',
    ],
    [
      'partial relationships of no entity',
      { connector_id: 'c', sync_id: 's', partial_relationships: [{ verb: 'RUNS', end: 'to', type: 'host' }] },
      'partial_relationships[0].key',
    ],
    ['a text for force', { connector_id: 'c', sync_id: 's', force: 'yes' }, 'force'],
    ['a text for the priority', { connector_id: 'c', sync_id: 's', priority: '1' }, 'priority'],
    ['a fractional priority', { connector_id: 'c', sync_id: 's', priority: 0.5 }, 'priority'],
    [
      'a priority beyond the safe integers',
      { connector_id: 'c', sync_id: 's', priority: 2 ** 53 },
      'priority',
    ],
  ])('rejects %s and names the field', (_name, body, field) => {
    expect(() => parseSyncRequest(body)).toThrow(refusal(field));
  });
});

describe('parseSyncScope', () => {
  it.each([
    [7, 7],
    [-1, -1],
    [0, 0],
    [null, undefined],
    [undefined, undefined],
  ])('reads the priority %s', (priority, read) => {
    expect(parseSyncScope({ connector_id: 'c', sync_id: 's', priority }).priority).toBe(read);
  });

  it('rejects records', () => {
    const body = { connector_id: 'c', sync_id: 's', entities: [] };

    expect(() => parseSyncScope(body)).toThrow(refusal('entities'));
  });
});

describe('parseBulkOperation', () => {
  it.each([
    [
      { op: 'entity', ...web },
      { op: 'entity', entity: { ...web, properties: {} } },
    ],
    [
      { op: 'relationship', ...link },
      { op: 'relationship', relationship: { ...link, properties: {} } },
    ],
    [
      { op: 'delete_entity', id },
      { op: 'delete_entity', entity: id },
    ],
    [
      { op: 'delete_entity', ...web },
      { op: 'delete_entity', entity: web },
    ],
    [
      { op: 'delete_relationship', ...link },
      { op: 'delete_relationship', relationship: link },
    ],
  ])('reads %j', (line, operation) => {
    expect(parseBulkOperation(line)).toEqual(operation);
  });

  it('names the field of a delete in a list', () => {
    const body = { delete: { entities: [{ type: 'host' }] } };

    expect(() => parseWriteRequest(body)).toThrow(refusal('delete.entities[0].key'));
  });

  it('rejects an unknown op', () => {
    expect(() => parseBulkOperation({ op: 'upsert', ...web })).toThrow(refusal('op'));
  });
});
