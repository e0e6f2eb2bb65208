import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestService } from '../support/test-service.ts';
import { TeamsController } from './teams.controller.ts';

describe('the teams', () => {
  let service: TestService;

  beforeAll(async () => {
    const environment = { PLEXUS_API_KEY: 'k' };
    service = await TestService.start({ environment, controllers: [TeamsController] });
  });
  afterAll(() => service.stop());

  it('are guarded without saying so', async () => {
    const without = await service.call('GET', '/v1/teams');
    const withKey = await service.call('GET', '/v1/teams', undefined, { Authorization: 'Bearer k' });

    expect([without.status, withKey.status]).toEqual([401, 200]);
    expect(JSON.parse(withKey.text)).toEqual({ teams: ['platform', 'security'] });
  });

  it('are open where the handler says @Public()', async () => {
    const answer = await service.call('GET', '/v1/teams/motto');

    expect([answer.status, answer.text]).toEqual([200, '{"motto":"know what you run"}']);
  });
});
