import { Controller, Get } from '@nestjs/common';
import { Public } from '#auth';

@Controller('v1/teams')
export class TeamsController {
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
