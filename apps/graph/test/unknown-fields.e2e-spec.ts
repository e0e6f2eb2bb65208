import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answersToUnknownFields } from '#testing';
import { TestService } from './support/test-service.ts';

describe('an unknown field', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.stop());

  it('is rejected by every route with a body or a query string', async () => {
    const answers = await answersToUnknownFields(service.url);

    expect(answers.size).toBeGreaterThan(15);
    // Balancers add parameters to their probes.
    const accepted = [['GET /v1/health query', 200]];
    expect(Array.from(answers).filter(([, status]) => status !== 400)).toEqual(accepted);
  });

  it.each([
    ['an array', '[]', 'body: expected an object'],
    ['a text', '"x"', 'body: expected an object'],
    ['a name of every object', '{"constructor": 1}', 'constructor: unknown field'],
    ['a prototype', '{"__proto__": {}}', '__proto__: unknown field'],
    ['a number where a list is due', '{"rule_ids": 1}', 'rule_ids: expected a list of texts'],
    ['a list with another kind', '{"rule_ids": [1]}', 'rule_ids: expected a list of texts'],
    ['an unknown severity', '{"severity_min": "huge"}', 'severity_min: expected one of'],
    ['params that are none', '{"params": []}', 'params: expected an object'],
    ['a fraction', '{"limit": 0.5}', 'limit: expected a whole number from 0 to 100000'],
    ['too much', '{"limit": 100001}', 'limit: expected a whole number from 0 to 100000'],
  ])('is named, where a body is checked by its class: %s', async (_name, body, message) => {
    const reply = await service.json(400, 'POST', '/v1/policies/evaluate', body);

    expect(reply['error']).toBe('INVALID_REQUEST');
    expect(reply['message']).toContain(message);
  });

  it.each(['', '{}', '{"rule_ids": null, "params": null, "limit": null}'])(
    'is not what was left out: %p',
    async (body) => {
      const text = body === '' ? undefined : body;

      const { status } = await service.call('POST', '/v1/policies/evaluate', text);

      expect(status).toBe(200);
    },
  );
});
