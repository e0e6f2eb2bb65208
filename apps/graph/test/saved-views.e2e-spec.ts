import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bodyOf, TestService } from './support/test-service.ts';

const ID = '0123456789abcdef0123456789abcdef';
const CANVAS = {
  nodes: [{ id: ID, x: 1.5, y: -2, pinned: true }],
  relationships: [ID],
  hidden_classes: ['User'],
};
const VIEW = {
  description: 'Hosts.',
  text: 'FIND Host WITH env = $env',
  parameters: { env: 'prod' },
  view: 'graph',
  canvas: CANVAS,
};

describe('documents of the console', () => {
  let directory: string;
  let service: TestService;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-views-'));
    service = await TestService.start({ directory });
  });
  afterEach(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const put = (path: string, body: unknown) => service.call('PUT', path, body);

  it('keep a view with its query, values, nodes and pins over a restart', async () => {
    const saved = await put('/v1/views/Hosts%20%2F%20prod%3F', VIEW);
    await service.stop();
    service = await TestService.start({ directory });
    const shown = await service.json(200, 'GET', '/v1/views/Hosts%20%2F%20prod%3F');
    const again = await put('/v1/views/Hosts%20%2F%20prod%3F', shown);
    const head = Object.fromEntries(Object.entries(shown).filter(([field]) => field !== 'canvas'));

    expect([saved.status, bodyOf(saved)]).toEqual([
      200,
      { name: 'Hosts / prod?', ...VIEW, updated_at: expect.any(String) },
    ]);
    expect([shown, bodyOf(again)]).toEqual([bodyOf(saved), bodyOf(saved)]);
    expect(await service.json(200, 'GET', '/v1/views')).toEqual({
      count: 1,
      views: [{ ...head, node_count: 1 }],
    });
    expect((await service.call('DELETE', '/v1/views/Hosts%20%2F%20prod%3F')).status).toBe(204);
    expect((await service.call('GET', '/v1/views/Hosts%20%2F%20prod%3F')).status).toBe(404);
  });

  it.each([
    ['a text that is no query', { ...VIEW, text: 'FIND host WITH' }, 'PQL_SYNTAX', { position: 14 }],
    ['no query', { ...VIEW, text: ' ', parameters: {} }, 'INVALID_REQUEST', { field: 'text' }],
    [
      'a value that the text does not name',
      { ...VIEW, parameters: { x: 1 } },
      'INVALID_REQUEST',
      { field: 'parameters.x' },
    ],
    ['an unknown field', { ...VIEW, zoom: 1 }, 'INVALID_REQUEST', { field: 'zoom' }],
    ['another name', { ...VIEW, name: 'x' }, 'INVALID_REQUEST', { field: 'name' }],
    ['another view', { ...VIEW, view: 'chart' }, 'INVALID_REQUEST', { field: 'view' }],
    [
      'an id that is none',
      { ...VIEW, canvas: { nodes: [{ id: 'x', x: 0, y: 0 }] } },
      'INVALID_REQUEST',
      { field: 'canvas.nodes[0].id' },
    ],
    [
      'a place that is no number',
      { ...VIEW, canvas: { nodes: [{ id: ID, x: null, y: 0 }] } },
      'INVALID_REQUEST',
      { field: 'canvas.nodes[0].x' },
    ],
    [
      'more nodes than a view holds',
      { ...VIEW, canvas: { nodes: Array(5_001).fill({ id: ID, x: 0, y: 0 }) } },
      'INVALID_REQUEST',
      { field: 'canvas.nodes' },
    ],
  ])('refuse a view with %s', async (_name, body, error, details) => {
    const answer = await put('/v1/views/hosts', body);

    expect([answer.status, bodyOf(answer)]).toMatchObject([400, { error, details }]);
    expect(await service.json(200, 'GET', '/v1/views')).toEqual({ count: 0, views: [] });
  });

  it('keep the style of a class, and return it to its default', async () => {
    const style = { color: '#3b82c4', icon: 'server', caption: 'ip' };
    const saved = await put('/v1/class-styles/Host', style);
    const one = await put('/v1/class-styles/User', { icon: 'person', color: null });
    const listed = await service.json(200, 'GET', '/v1/class-styles');
    const removed = await service.call('DELETE', '/v1/class-styles/Host');

    const at = { updated_at: expect.any(String) };
    expect(bodyOf(saved)).toEqual({ name: 'Host', ...style, ...at });
    expect(bodyOf(one)).toEqual({ name: 'User', icon: 'person', ...at });
    expect(listed).toEqual({ count: 2, styles: [bodyOf(saved), bodyOf(one)] });
    expect(removed.status).toBe(204);
    expect(await service.json(200, 'GET', '/v1/class-styles')).toMatchObject({ count: 1 });
  });

  it.each([
    ['a colour by name', { color: 'red' }, 'color'],
    ['an unknown icon', { icon: 'unicorn' }, 'icon'],
    ['a caption that is no text', { caption: 3 }, 'caption'],
    ['another class', { name: 'User' }, 'name'],
  ])('refuse a style with %s', async (_name, body, field) => {
    const answer = await put('/v1/class-styles/Host', body);

    expect([answer.status, bodyOf(answer)]).toMatchObject([
      400,
      { error: 'INVALID_REQUEST', details: { field } },
    ]);
  });
});
