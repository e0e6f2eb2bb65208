import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { RouteCount } from './route-count.ts';

const CONFIG = `frontend web
  use_backend api if { path_beg /api }
\tuse_backend static if { path_beg /static }
  # use_backend old
  default_backend api
  use_backends x
backend api
`;

describe('RouteCount', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-routes-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('counts the lines that choose a backend', async () => {
    const path = join(directory, 'haproxy.cfg');
    await writeFile(path, CONFIG);
    const routes = new RouteCount(new NodeDisk(), path);

    expect([await routes.read(), await routes.read(), routes.count(9)]).toEqual([true, false, 3]);
  });

  it('reads the .cfg files of a directory', async () => {
    await writeFile(join(directory, 'b.cfg'), CONFIG);
    await writeFile(join(directory, 'a.cfg'), CONFIG);
    await writeFile(join(directory, 'c.bak'), CONFIG);
    const routes = new RouteCount(new NodeDisk(), directory);
    await routes.read();

    expect(routes.count(9)).toBe(6);
  });

  it('counts frontends without a configuration', async () => {
    const routes = new RouteCount(new NodeDisk(), undefined);

    expect([await routes.read(), routes.count(9)]).toEqual([false, 9]);
  });

  it('keeps its count when the configuration becomes unreadable', async () => {
    const path = join(directory, 'haproxy.cfg');
    await writeFile(path, CONFIG);
    const routes = new RouteCount(new NodeDisk(), path);
    await routes.read();
    await rm(path);

    await expect(routes.read()).rejects.toThrow('ENOENT');
    expect(routes.count(9)).toBe(3);
  });
});
