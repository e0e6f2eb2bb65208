import { type DynamicModule, Module } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { Policies } from '#graph/policy';
import { PolicyModule } from '#graph/policy/module';
import { QueryService, SavedQueries } from '#graph/query';
import { QueryModule } from '#graph/query/module';
import { Admission } from '#platform/auth';
import { Disk } from '#platform/disk';
import { Log } from '#platform/observability';
import { GraphAnswers } from './answers/graph-answers.port.ts';
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
      imports: [QueryModule, PolicyModule],
      controllers: [McpController],
      providers: [
        { provide: Admission, useValue: admission },
        {
          provide: GraphAnswers,
          inject: [Graph, QueryService, Policies, SavedQueries],
          useFactory: (
            graph: Graph,
            queries: QueryService,
            policies: Policies,
            saved: SavedQueries,
          ): GraphAnswers => new ServiceAnswers({ graph, queries, policies, saved }),
        },
        {
          provide: McpServers,
          inject: [GraphAnswers, Disk, Log],
          useFactory: (answers: GraphAnswers, disk: Disk, log: Log): McpServers =>
            new McpServers({ answers, reference: new PqlReference(disk), log }),
        },
        McpSessions,
      ],
      exports: [GraphAnswers, McpServers],
    };
  }
}
