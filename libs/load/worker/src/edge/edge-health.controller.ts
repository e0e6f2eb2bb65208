import { Controller, Get, Inject } from '@nestjs/common';
import { VERSION } from '#platform/foundation';
import { EdgeAgent, type EdgeState } from './edge-agent.ts';

@Controller()
export class EdgeHealthController {
  readonly #edge: EdgeAgent;

  constructor(@Inject(EdgeAgent) edge: EdgeAgent) {
    this.#edge = edge;
  }

  /** Alive, whether there is a hive or not: the edge connects by itself when there is. */
  @Get('health')
  health(): { readonly status: string; readonly version: string } & EdgeState {
    return { status: 'healthy', version: VERSION, ...this.#edge.state };
  }
}
