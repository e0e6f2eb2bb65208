import { type DynamicModule, Module } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import { PastPolicies, Policies } from '#graph/policy';
import { PolicyModule } from '#graph/policy/module';
import { DiffService, QueryService, SavedQueries } from '#graph/query';
import { QueryModule } from '#graph/query/module';
import { SavedQueryModule } from '#graph/query/saved/module';
import { SearchService } from '#graph/search';
import { SearchModule } from '#graph/search/module';
import { Admission } from '#platform/auth';
import { Disk } from '#platform/disk';
import { Log } from '#platform/observability';
import { constructed } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { GraphAnswers } from './answers/graph-answers.port.ts';
import { HistoryAnswers } from './answers/history-answers.ts';
import { ServiceAnswers } from './answers/service-answers.ts';
import { McpSessions } from './http/mcp-sessions.ts';
import { McpController } from './http/mcp.controller.ts';
import { McpServers } from './server/create-mcp-server.ts';
import { PqlReference } from './server/resources.ts';

/** `/mcp`, over the services that REST uses. */
@Module({})
export class McpModule {
  static forRoot({ admission }: { readonly admission: Admission }): DynamicModule {
    return {
      module: McpModule,
      imports: [PlatformModule, GraphModule, QueryModule, SavedQueryModule, SearchModule, PolicyModule],
      controllers: [McpController],
      providers: [
        { provide: Admission, useValue: admission },
        constructed(HistoryAnswers, [Graph, DiffService, PastPolicies]),
        constructed(ServiceAnswers, [
          Graph,
          QueryService,
          SearchService,
          Policies,
          SavedQueries,
          HistoryAnswers,
        ]),
        { provide: GraphAnswers, useExisting: ServiceAnswers },
        constructed(PqlReference, [Disk]),
        constructed(McpServers, [GraphAnswers, PqlReference, Log]),
        McpSessions,
      ],
      exports: [GraphAnswers, McpServers],
    };
  }
}
