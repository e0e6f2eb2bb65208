import type * as chain from '../../libs/chain/src/index.ts';
import type * as disk from '../../libs/disk/src/index.ts';
import type * as graph from '../../libs/graph/src/index.ts';
import type * as load from '../../libs/load/src/index.ts';
import type * as model from '../../libs/model/src/index.ts';
import type * as policy from '../../libs/policy/src/index.ts';
import type * as query from '../../libs/query/src/index.ts';
import type * as report from '../../libs/report/src/index.ts';
import type * as rpc from '../../libs/rpc/src/index.ts';
import type * as telemetry from '../../libs/telemetry/src/index.ts';

interface Libraries {
  readonly chain: typeof chain;
  readonly disk: typeof disk;
  readonly graph: typeof graph;
  readonly load: typeof load;
  readonly model: typeof model;
  readonly policy: typeof policy;
  readonly query: typeof query;
  readonly report: typeof report;
  readonly rpc: typeof rpc;
  readonly telemetry: typeof telemetry;
}

/** A library of the project as it is shipped: the build, typed by the sources. */
export async function builtLibrary<Name extends keyof Libraries>(name: Name): Promise<Libraries[Name]> {
  const door = new URL(`../../dist/libs/${name}/src/index.js`, import.meta.url);
  return (await import(door.href)) as Libraries[Name];
}
