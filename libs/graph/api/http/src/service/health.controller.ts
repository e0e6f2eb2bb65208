import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ConnectorFiles } from '#graph/connector';
import { Graph, type GraphStats } from '#graph/engine';
import { type Caller, From, Public, Requires } from '#platform/auth';
import { DomainError, inTurns, VERSION } from '#platform/foundation';
import { ApiErrors } from '#platform/http';
import { Uptime } from '#platform/runtime';
import { HealthDto, StatsDto } from './health.dto.ts';

const SWITCH = ['', 'true', 'false'];

function isReadyAsked(ready: unknown = 'false'): boolean {
  if (typeof ready === 'string' && SWITCH.includes(ready)) return ready !== 'false';
  throw new DomainError('INVALID_REQUEST', 'ready: expected nothing, true or false', {
    details: { field: 'ready' },
  });
}

/** Without `storage` for a caller with a scope: the store has everything. */
type ServiceStats = Omit<GraphStats, 'storage'> &
  Partial<GraphStats> & {
    readonly version: string;
    readonly uptime_seconds: number;
    readonly history?: { readonly first: number; readonly since: string };
  };

@ApiTags('service')
@Controller('v1')
export class HealthController {
  readonly #graph: Graph;
  readonly #uptime: Uptime;
  readonly #connectorFiles: ConnectorFiles;

  constructor(
    @Inject(Graph) graph: Graph,
    @Inject(Uptime) uptime: Uptime,
    @Inject(ConnectorFiles) connectorFiles: ConnectorFiles,
  ) {
    this.#graph = graph;
    this.#uptime = uptime;
    this.#connectorFiles = connectorFiles;
  }

  @Get('health')
  @Public()
  @ApiOperation({
    operationId: 'getHealth',
    summary:
      'Whether the service takes writes, and its store is whole; with ?ready, serves reads. Needs no key.',
    security: [],
  })
  @ApiOkResponse({ type: HealthDto })
  @ApiResponse({
    status: 503,
    type: HealthDto,
    description:
      'Writes are refused; a restart recovers. With ?ready also: this node over a shared store reads it again, or is ' +
      'more than 10 s behind what is published.',
    example: { status: 'unhealthy', reason: 'the disk is full', reads: 'ok' },
  })
  @ApiQuery({
    name: 'ready',
    required: false,
    enum: SWITCH,
    description: 'Whether to report readiness for reads, by the status code.',
  })
  @ApiErrors('INVALID_REQUEST')
  health(@Query() query: Readonly<Record<string, unknown>>, @Res() reply: FastifyReply): void {
    const { status, reason } = this.#graph.health();
    // Balancers add parameters of their own: nothing else is looked at.
    const unready = isReadyAsked(query['ready']) ? this.#graph.unready : undefined;
    if (unready !== undefined) {
      const facts = { version: VERSION, uptime_seconds: this.#uptime.seconds, reason: unready };
      reply.code(503).send({ status, ...facts, ...this.#sharedFacts() });
    } else if (status === 'unhealthy') reply.code(503).send({ status, reason, reads: 'ok' });
    else {
      const { torn_tail } = this.#graph.storageStats;
      const facts = { version: VERSION, uptime_seconds: this.#uptime.seconds, reason, torn_tail };
      reply.send({ status, ...facts, ...this.#fileFacts(), ...this.#sharedFacts() });
    }
  }

  #fileFacts(): object {
    const { faultyCount } = this.#connectorFiles;
    return faultyCount === 0 ? {} : { faulty_connector_files: faultyCount };
  }

  /** The additional facts of a node over a shared store. */
  #sharedFacts(): object {
    const position = this.#graph.position();
    if (position === undefined) return {};
    const { node, seq, published, lagMs } = position;
    const role = this.#graph.leadership.isLeader ? 'leader' : 'follower';
    return { node, role, seq, published, lag_ms: Math.round(lagMs) };
  }

  @Get('stats')
  @Requires('read', { keepsScope: true })
  @ApiOperation({ operationId: 'getStats', summary: 'Counts of the live data, and the state of the store' })
  @ApiOkResponse({ type: StatsDto })
  async stats(@From() { scope }: Caller): Promise<ServiceStats> {
    const { horizon } = this.#graph.history;
    const history = horizon && { first: horizon.first, since: new Date(horizon.sinceMs).toISOString() };
    const facts = { version: VERSION, uptime_seconds: this.#uptime.seconds, ...(history && { history }) };
    if (scope === undefined) return { ...facts, ...this.#graph.stats() };
    return { ...facts, ...(await inTurns(this.#graph.statsWithin(scope))) };
  }
}
