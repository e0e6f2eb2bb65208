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
import { type Kept, parseSavedView, type SavedView, SavedViews } from '#graph/query';
import { type Caller, From, Requires } from '#platform/auth';
import { ApiErrors, ExactIntegers } from '#platform/http';
import { assertSameName } from '../saved-queries/same-name.ts';
import { SavedViewBodyDto, SavedViewDto, SavedViewListDto } from './saved-view.dto.ts';

const EXAMPLE_NAME = 'Hosts and what they run';

const EXAMPLE_HEAD = {
  text: 'FIND host WITH env = $env AS h THAT RUNS service AS s RETURN h, s',
  description: 'The hosts of one environment with their services.',
  parameters: { env: 'prod' },
  view: 'graph',
} as const;
const EXAMPLE_VIEW = {
  ...EXAMPLE_HEAD,
  canvas: {
    nodes: [{ id: '0b5e1c9a7d3f4e21a6c8d90f1b2a3c4d', x: 1.5, y: -2, pinned: true }],
    relationships: [],
    hidden_classes: ['Service'],
  },
};
const KEPT_EXAMPLE = { name: EXAMPLE_NAME, ...EXAMPLE_VIEW, updated_at: '2026-11-21T06:00:00.000Z' };
const HEAD_EXAMPLE = { name: EXAMPLE_NAME, ...EXAMPLE_HEAD, updated_at: KEPT_EXAMPLE.updated_at };
const LIST_EXAMPLE = { count: 1, views: [{ ...HEAD_EXAMPLE, node_count: 1 }] };
const NAME = { name: 'name', schema: { type: 'string', example: EXAMPLE_NAME } } as const;

@ApiTags('saved views')
@Controller('v1/views')
export class SavedViewsController {
  readonly #views: SavedViews;
  readonly #graph: Graph;

  constructor(@Inject(SavedViews) views: SavedViews, @Inject(Graph) graph: Graph) {
    this.#views = views;
    this.#graph = graph;
  }

  @Get()
  @Requires('read', { keepsScope: true })
  @ApiOperation({ operationId: 'listSavedViews', summary: 'All saved views, by name, without their canvas' })
  @ApiOkResponse({ type: SavedViewListDto, example: LIST_EXAMPLE })
  list(@From() { scope }: Caller): SavedViewListDto {
    const views = this.#seen(this.#views.list(), scope).map(({ canvas, ...head }) => ({
      ...head,
      node_count: canvas?.nodes.length ?? 0,
    }));
    return { count: views.length, views };
  }

  @Get(':name')
  @Requires('read', { keepsScope: true })
  @ApiOperation({ operationId: 'getSavedView', summary: 'One saved view, with its canvas' })
  @ApiParam(NAME)
  @ApiOkResponse({ type: SavedViewDto, example: KEPT_EXAMPLE })
  @ApiErrors('NOT_FOUND', 'STORE_UNAVAILABLE')
  async get(@Param('name') name: string, @From() { scope }: Caller): Promise<Kept<SavedView> | undefined> {
    const view = await this.#graph.documents.found(() => this.#views.get(name));
    return this.#seen([view], scope)[0];
  }

  /** The views with what exists in the scope of their canvas. */
  #seen(views: readonly Kept<SavedView>[], scope: Scope | undefined): readonly Kept<SavedView>[] {
    if (scope === undefined) return views;
    const snapshot = this.#graph.snapshotWithin(scope);
    try {
      return views.map(({ canvas, ...head }) => {
        if (canvas === undefined) return head;
        const nodes = canvas.nodes.filter(({ id }) => snapshot.nodeById(id) >= 0);
        const relationships = canvas.relationships.filter((id) => snapshot.linkById(id) >= 0);
        const hidden_classes = canvas.hidden_classes.filter((name) => snapshot.hasName(name));
        return { ...head, canvas: { nodes, relationships, hidden_classes } };
      });
    } finally {
      snapshot.release();
    }
  }

  @Put(':name')
  @Requires('write')
  @ExactIntegers()
  @ApiOperation({
    operationId: 'putSavedView',
    summary: 'Saves a view under a name, instead of the one that has it; its text has to parse and bind',
  })
  @ApiParam(NAME)
  @ApiBody({ type: SavedViewBodyDto, examples: { view: { value: EXAMPLE_VIEW } } })
  @ApiOkResponse({ type: SavedViewDto, example: KEPT_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'PQL_SYNTAX', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  @ApiErrors('TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async put(@Param('name') name: string, @Body() body: SavedViewBodyDto): Promise<Kept<SavedView>> {
    assertSameName(body.name, name);
    const { text, description, parameters, view, canvas, as_of, since } = body;
    const saved = { name, text, description, parameters, view, canvas, as_of, since };
    await this.#views.change([parseSavedView(saved)]);
    return this.#views.get(name);
  }

  @Delete(':name')
  @Requires('write')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteSavedView', summary: 'Removes a saved view' })
  @ApiParam(NAME)
  @ApiNoContentResponse()
  @ApiErrors('NOT_FOUND', 'TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async delete(@Param('name') name: string): Promise<void> {
    await this.#views.remove(name);
  }
}
