import { Controller, Get, Inject } from '@nestjs/common';
import { VERSION } from '#platform/foundation';
import { EdgeAgent, type EdgeState } from './edge-agent.ts';

@Controller()
export class EdgeHealthController {
  readonly #edge: EdgeAgent;

  constructor(@Inject(EdgeAgent) edge: EdgeAgent) {
    this.#edge = edge;
  }

  /** Alive with or without a hive: the edge connects by itself once the hive is available. */
  @Get('health')
  health(): { readonly status: string; readonly version: string } & EdgeState {
    return { status: 'healthy', version: VERSION, ...this.#edge.state };
  }
}
