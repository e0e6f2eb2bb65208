import { Controller, Get, Inject } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { QueryEngine } from '#graph/query';
import { Public, Requires } from '#platform/auth';

@Controller('v1/inventory')
export class InventoryController {
  readonly #graph: Graph;
  readonly #engine: QueryEngine;

  constructor(@Inject(Graph) graph: Graph, @Inject(QueryEngine) engine: QueryEngine) {
    this.#graph = graph;
    this.#engine = engine;
  }

  @Get('hosts')
  @Requires('read')
  async hosts(): Promise<{ readonly hosts: number }> {
    const snapshot = this.#graph.snapshot();
    try {
      const { count } = await this.#engine.run(snapshot, 'FIND host');
      return { hosts: count };
    } finally {
      snapshot.release();
    }
  }

  @Get('motto')
  @Public()
  motto(): { readonly motto: string } {
    return { motto: 'know what you run' };
  }
}
