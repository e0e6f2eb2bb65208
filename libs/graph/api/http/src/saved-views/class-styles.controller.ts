import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Put } from '@nestjs/common';
import {
  ApiBody,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { Graph } from '#graph/engine';
import type { Scope } from '#graph/model';
import { type ClassStyle, ClassStyles, type Kept, parseClassStyle } from '#graph/query';
import { type Caller, From, Requires } from '#platform/auth';
import { ApiErrors } from '#platform/http';
import { assertSameName } from '../saved-queries/same-name.ts';
import { ClassStyleBodyDto, ClassStyleDto, ClassStyleListDto } from './class-style.dto.ts';

const EXAMPLE_STYLE = { color: '#3b82c4', icon: 'server', caption: 'ip' };
const KEPT_EXAMPLE = { name: 'Host', ...EXAMPLE_STYLE, updated_at: '2026-11-21T06:00:00.000Z' };
const NAME = {
  name: 'name',
  description: 'The class.',
  schema: { type: 'string', example: 'Host' },
} as const;

@ApiTags('class styles')
@Controller('v1/class-styles')
export class ClassStylesController {
  readonly #styles: ClassStyles;
  readonly #graph: Graph;

  constructor(@Inject(ClassStyles) styles: ClassStyles, @Inject(Graph) graph: Graph) {
    this.#styles = styles;
    this.#graph = graph;
  }

  @Get()
  @Requires('read', { keepsScope: true })
  @ApiOperation({
    operationId: 'listClassStyles',
    summary: 'How the entities of classes are drawn, by class',
  })
  @ApiOkResponse({ type: ClassStyleListDto, example: { count: 1, styles: [KEPT_EXAMPLE] } })
  list(@From() { scope }: Caller): ClassStyleListDto {
    const styles = this.#seen(this.#styles.list(), scope);
    return { count: styles.length, styles: [...styles] };
  }

  /** Those of classes that exist in the scope. */
  #seen(styles: readonly Kept<ClassStyle>[], scope: Scope | undefined): readonly Kept<ClassStyle>[] {
    if (scope === undefined) return styles;
    const snapshot = this.#graph.snapshotWithin(scope);
    try {
      return styles.filter(({ name }) => snapshot.hasName(name));
    } finally {
      snapshot.release();
    }
  }

  @Put(':name')
  @Requires('write')
  @ApiOperation({
    operationId: 'putClassStyle',
    summary: 'Sets the colour, icon and caption of a class, for all users; what is missing has its default',
  })
  @ApiParam(NAME)
  @ApiBody({ type: ClassStyleBodyDto, examples: { style: { value: EXAMPLE_STYLE } } })
  @ApiOkResponse({ type: ClassStyleDto, example: KEPT_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  @ApiErrors('TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async put(@Param('name') name: string, @Body() body: ClassStyleBodyDto): Promise<Kept<ClassStyle>> {
    assertSameName(body.name, name);
    const { color, icon, caption } = body;
    await this.#styles.change([parseClassStyle({ name, color, icon, caption })]);
    return this.#styles.get(name);
  }

  @Delete(':name')
  @Requires('write')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteClassStyle', summary: 'Returns a class to its default style' })
  @ApiParam(NAME)
  @ApiNoContentResponse()
  @ApiErrors('NOT_FOUND', 'TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async delete(@Param('name') name: string): Promise<void> {
    await this.#styles.remove(name);
  }
}
