import { freePort } from '../harness/free-port.ts';
import { ServerProcess } from './server-process.ts';

const MAIN = new URL('../../dist/apps/graph/src/main.js', import.meta.url).pathname;

/** The built server over a directory, on a free port; `more` are options of `plexus serve`. */
export async function startGraph(
  directory: string,
  { more = [], node = [] }: { readonly more?: readonly string[]; readonly node?: readonly string[] } = {},
): Promise<ServerProcess> {
  const port = await freePort();
  const serve = ['serve', '--data-dir', directory, '--host', '127.0.0.1', '--port', String(port)];
  return ServerProcess.start([...node, MAIN, ...serve, ...more], port);
}
