import { Controller, Get, Inject, Injectable, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AuditTrail } from '#platform/audit';
import { Requires } from '#platform/auth';
import { DomainError, momentMs } from '#platform/foundation';
import { ApiErrors } from '#platform/http';
import { AUDIT_EXAMPLE, AuditQueryDto, AuditReplyDto } from './audit.dto.ts';

const DAY_MS = 86_400_000;
const LIMIT_DEFAULT = '100';

/** The trail of the program, if it keeps one. */
@Injectable()
export class KeptTrail {
  readonly trail: AuditTrail | undefined;

  constructor(trail: AuditTrail | undefined) {
    this.trail = trail;
  }
}

@ApiTags('service')
@Controller('v1/audit')
export class AuditController {
  readonly #kept: KeptTrail;

  constructor(@Inject(KeptTrail) kept: KeptTrail) {
    this.#kept = kept;
  }

  @Get()
  @Requires('admin')
  @ApiOperation({
    operationId: 'listAuditEvents',
    summary: 'Who changed what and who was refused, of this node: 501 without --audit',
  })
  @ApiOkResponse({ type: AuditReplyDto, example: AUDIT_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'NOT_SUPPORTED')
  async list(@Query() { since, who, what, limit = LIMIT_DEFAULT }: AuditQueryDto): Promise<AuditReplyDto> {
    const { trail } = this.#kept;
    if (trail === undefined)
      throw new DomainError('NOT_SUPPORTED', 'no audit trail is kept: start the service with --audit <file>');
    const sinceMs = since === undefined ? Date.now() - DAY_MS : momentMs(since);
    if (sinceMs === undefined) throw new DomainError('INVALID_REQUEST', 'since: there is no such time');
    const { events, hasMore } = await trail.search({ sinceMs, who, what, limit: Number(limit) });
    return { events: [...events], has_more: hasMore };
  }
}
