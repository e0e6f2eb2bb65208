import { Controller, Get } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import type { Counter } from 'prom-client';

@Controller('v1/lookup')
export class LookupController {
  readonly #lookups: Counter;

  constructor(@InjectMetric('plexus_lookups_total') lookups: Counter) {
    this.#lookups = lookups;
  }

  @Get()
  lookUp(): { readonly found: boolean } {
    this.#lookups.inc();
    return { found: false };
  }
}
