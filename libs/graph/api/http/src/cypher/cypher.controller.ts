import { Body, Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { CypherService, parseCypherRequest, type StatementKind } from '#graph/cypher';
import { type Caller, From, requireStatement, Requires } from '#platform/auth';
import { ApiErrors, endWhenStalled, ExactIntegers, hangUpOf, NDJSON } from '#platform/http';
import { CypherDto, CypherReplyDto } from './cypher.dto.ts';

const NDJSON_TYPE = `${NDJSON}; charset=utf-8`;
const EXAMPLES = {
  pattern: {
    summary: 'who reaches which data',
    value: {
      cypher: 'MATCH (u:user)-[:ASSIGNED]->(:role)-[:ALLOWS]->(d) RETURN u.name, d.name ORDER BY u.name',
    },
  },
  parameters: {
    summary: 'parameters',
    value: {
      cypher: 'MATCH (h:host {state: $state}) RETURN count(*) AS hosts',
      params: { state: 'running' },
    },
  },
  moment: {
    summary: 'as of the first batch',
    value: { cypher: 'MATCH (h:Host) RETURN count(*) AS hosts', as_of: 1 },
  },
  writing: {
    summary: 'rows become nodes, or change those that are there',
    value: {
      cypher: 'UNWIND $rows AS row MERGE (h:Host {id: row.id}) SET h.state = row.state',
      params: { rows: [{ id: 'web-01', state: 'running' }] },
    },
  },
};
const LINES = '{"u.name":"alice","d.name":"customers"}\n{"end":true,"count":1}\n';

@ApiTags('query')
@Controller('v1/cypher')
export class CypherController {
  readonly #cypher: CypherService;

  constructor(@Inject(CypherService) cypher: CypherService) {
    this.#cypher = cypher;
  }

  @Post()
  @Requires('read', { keepsScope: true })
  @ExactIntegers()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'cypher',
    summary:
      'Runs a statement of Cypher, a transaction of its own; as application/x-ndjson without a limit of rows, one a line',
  })
  @ApiBody({ type: CypherDto, examples: EXAMPLES })
  @ApiExtraModels(CypherReplyDto)
  @ApiOkResponse({
    description: 'The whole result; with `Accept: application/x-ndjson` as lines.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(CypherReplyDto) } },
      [NDJSON]: { schema: { type: 'string' }, example: LINES },
    },
  })
  @ApiErrors('INVALID_REQUEST', 'CYPHER_SYNTAX', 'CYPHER_FAILED', 'QUERY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  @ApiErrors('BEYOND_HISTORY')
  @ApiErrors('CONFLICT', 'BODY_TOO_LARGE', 'TOO_BUSY', 'QUERY_TIMEOUT', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async run(
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @From() caller: Caller,
  ): Promise<void> {
    const access = {
      scope: caller.scope,
      admit: (kind: StatementKind): void => {
        requireStatement(caller, kind);
      },
    };
    const asked = parseCypherRequest(body);
    const hangUp = hangUpOf(reply);
    if (request.headers.accept?.includes(NDJSON) !== true) {
      reply.send(await this.#cypher.run(asked, hangUp, access));
      return;
    }
    const lines = await this.#cypher.lines(asked, hangUp, access);
    endWhenStalled(reply);
    reply.type(NDJSON_TYPE).send(Readable.from(lines, { objectMode: false }));
  }
}
