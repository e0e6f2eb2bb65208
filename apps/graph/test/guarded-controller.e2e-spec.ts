import { Controller, Get } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Public } from '#auth';
import { TestService } from './support/test-service.ts';

/** The controller of docs/guarded-controller.md. */
@Controller('v1/teams')
class TeamsController {
  @Get()
  teams(): { readonly teams: readonly string[] } {
    return { teams: ['platform', 'security'] };
  }

  @Get('motto')
  @Public()
  motto(): { readonly motto: string } {
    return { motto: 'know what you run' };
  }
}

describe('a controller of your own', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start({
      environment: { PLEXUS_API_KEY: 'k' },
      controllers: [TeamsController],
    });
  });
  afterAll(() => service.stop());

  it('is guarded without saying so', async () => {
    const without = await service.call('GET', '/v1/teams');
    const withKey = await service.call('GET', '/v1/teams', undefined, { Authorization: 'Bearer k' });

    expect([without.status, withKey.status]).toEqual([401, 200]);
    expect(JSON.parse(withKey.text)).toEqual({ teams: ['platform', 'security'] });
  });

  it('is open where it says @Public()', async () => {
    const answer = await service.call('GET', '/v1/teams/motto');

    expect([answer.status, answer.text]).toEqual([200, '{"motto":"know what you run"}']);
  });
});
