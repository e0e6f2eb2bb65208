import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Public } from '#platform/auth';
import { VERSION } from '#platform/foundation';
import { Uptime } from '#platform/runtime';

class HealthDto {
  @ApiProperty({ enum: ['healthy'] }) declare status: string;
  @ApiProperty({ example: '0.1.0' }) declare version: string;
  @ApiProperty() declare uptime_seconds: number;
}

@ApiTags('service')
@Controller('health')
export class HiveHealthController {
  readonly #uptime: Uptime;

  constructor(@Inject(Uptime) uptime: Uptime) {
    this.#uptime = uptime;
  }

  @Get()
  @Public()
  @ApiOperation({ summary: 'Whether the hive responds. Needs no key.', security: [] })
  @ApiOkResponse({
    type: HealthDto,
    example: { status: 'healthy', version: VERSION, uptime_seconds: 4711 },
  })
  health(): HealthDto {
    return { status: 'healthy', version: VERSION, uptime_seconds: this.#uptime.seconds };
  }
}
