import { pathToFileURL } from 'node:url';
import type * as cluster from '../../libs/graph/cluster/src/index.ts';
import type * as chain from '../../libs/load/chain/src/index.ts';
import type * as cypher from '../../libs/graph/cypher/src/index.ts';
import type * as disk from '../../libs/platform/disk/src/index.ts';
import type * as engine from '../../libs/graph/engine/src/index.ts';
import type * as execution from '../../libs/graph/execution/src/index.ts';
import type * as foundation from '../../libs/platform/foundation/src/index.ts';
import type * as worker from '../../libs/load/worker/src/index.ts';
import type * as memory from '../../libs/graph/memory/src/index.ts';
import type * as model from '../../libs/graph/model/src/index.ts';
import type * as policy from '../../libs/graph/policy/src/index.ts';
import type * as query from '../../libs/graph/query/src/index.ts';
import type * as search from '../../libs/graph/search/src/index.ts';
import type * as report from '../../libs/load/report/src/index.ts';
import type * as protocol from '../../libs/load/protocol/src/index.ts';
import type * as telemetry from '../../libs/load/telemetry/src/index.ts';

interface Libraries {
  readonly 'load/chain': typeof chain;
  readonly 'platform/disk': typeof disk;
  readonly 'platform/foundation': typeof foundation;
  readonly 'graph/cluster': typeof cluster;
  readonly 'graph/cypher': typeof cypher;
  readonly 'graph/engine': typeof engine;
  readonly 'graph/execution': typeof execution;
  readonly 'load/worker': typeof worker;
  readonly 'graph/memory': typeof memory;
  readonly 'graph/model': typeof model;
  readonly 'graph/policy': typeof policy;
  readonly 'graph/query': typeof query;
  readonly 'graph/search': typeof search;
  readonly 'load/report': typeof report;
  readonly 'load/protocol': typeof protocol;
  readonly 'load/telemetry': typeof telemetry;
}

/** A library of a checkout from its build, default of this one, with the types of the sources. */
export async function builtLibrary<Name extends keyof Libraries>(
  name: Name,
  checkout?: string,
): Promise<Libraries[Name]> {
  const root = checkout === undefined ? new URL('../../', import.meta.url) : pathToFileURL(`${checkout}/`);
  const door = new URL(`dist/libs/${name}/src/index.js`, root);
  return (await import(door.href)) as Libraries[Name];
}
