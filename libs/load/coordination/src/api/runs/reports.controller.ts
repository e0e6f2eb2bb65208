import { Controller, Get, Headers, Inject, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Requires } from '#platform/auth';
import { ApiErrors } from '#platform/http';
import { Hive } from '../../hive/hive.ts';
import { formOf, sendComparison, sendReport } from './report-form.ts';
import { CompareQueryDto, ComparisonDto, ReportDto, ReportQueryDto } from './report.dto.ts';

const FORMS = ['application/json', 'text/html', 'application/xml'] as const;

@ApiTags('reports')
@Controller('runs')
export class ReportsController {
  readonly #hive: Hive;

  constructor(@Inject(Hive) hive: Hive) {
    this.#hive = hive;
  }

  @Get('compare')
  @Requires('read')
  @ApiOperation({ summary: 'Compares two runs' })
  @ApiProduces('application/json', 'text/html')
  @ApiOkResponse({ type: ComparisonDto })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'RUN_NOT_FINISHED')
  @ApiErrors('REPORT_DATA_MISSING', 'REPORT_DATA_UNREADABLE', 'NO_DISK_SPACE')
  async compareRuns(
    @Query() { base, head, format }: CompareQueryDto,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendComparison(reply, await this.#hive.reports.compare(base, head), formOf(format, accept));
  }

  @Get(':run_id/report')
  @Requires('read')
  @ApiOperation({ summary: 'The report of a run that has ended, computed from its Parquet files' })
  @ApiParam({ name: 'run_id', schema: { type: 'string', example: 'r-20261121-142000-k3v9ax' } })
  @ApiProduces(...FORMS)
  @ApiOkResponse({ type: ReportDto })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'RUN_NOT_FINISHED')
  @ApiErrors('REPORT_DATA_MISSING', 'REPORT_DATA_UNREADABLE', 'NO_DISK_SPACE', 'STORE_UNAVAILABLE')
  async getReport(
    @Param('run_id') runId: string,
    @Query() { format }: ReportQueryDto,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendReport(reply, await this.#hive.reports.of(runId), formOf(format, accept));
  }
}
