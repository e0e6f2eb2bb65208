import { Controller, Delete, Get, HttpCode, Inject, Param } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AuditedChanges } from '#platform/audit';
import { Requires } from '#platform/auth';
import { DomainError } from '#platform/foundation';
import { ApiErrors } from '#platform/http';
import { Hive } from '../../hive/hive.ts';
import { type EdgeView, edgeView } from './edge-view.ts';
import { EDGE_LIST_EXAMPLE, EdgeListDto } from './edge.dto.ts';

@ApiTags('edges')
@Controller('edges')
export class EdgesController {
  readonly #hive: Hive;
  readonly #audit: AuditedChanges;

  constructor(@Inject(Hive) hive: Hive, @Inject(AuditedChanges) audit: AuditedChanges) {
    this.#hive = hive;
    this.#audit = audit;
  }

  @Get()
  @Requires('read')
  @ApiOperation({ summary: 'All registered edges, connected or not, in the order of their registration' })
  @ApiOkResponse({ type: EdgeListDto, example: EDGE_LIST_EXAMPLE })
  listEdges(): { readonly edges: readonly EdgeView[] } {
    const edges = this.#hive.sessions.list();
    const participants = new Map(this.#hive.runs.active.flatMap(({ run }) => [...run.facts.participants]));
    return { edges: edges.map((edge) => edgeView(edge, participants.get(edge.registration.edgeId))) };
  }

  @Delete(':edge_id')
  @Requires('edges')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Deregisters an edge; a connected edge exits. A Starting run no longer waits for it',
  })
  @ApiParam({ name: 'edge_id', schema: { type: 'string', example: 'edge-1' } })
  @ApiNoContentResponse()
  @ApiErrors('NOT_FOUND', 'NO_DISK_SPACE')
  async removeEdge(@Param('edge_id') edgeId: string): Promise<void> {
    const isThere = this.#hive.sessions.list().some(({ registration }) => registration.edgeId === edgeId);
    const remove = (): Promise<boolean> => this.#hive.gateway.remove(edgeId, 'it was deleted');
    if (isThere && (await this.#audit.make({ target: edgeId }, remove))) return;
    throw new DomainError('NOT_FOUND', 'no edge has this id');
  }
}
