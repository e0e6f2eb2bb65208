import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { withProxy } from './support/proxy.mjs';

export const source =
  "promtool check metrics over the proxy's /stats: Prometheus, https://github.com/prometheus/prometheus, Apache-2.0, as installed";

/** Its name is specified, without the suffix that promtool requires. */
const SPECIFIED = /^plexus_circuit_breaker_rejected counter metrics should have "_total" suffix$/;

export async function run() {
  if (spawnSync('promtool', ['--version']).error !== undefined) {
    return { passed: 0, failed: 0, skipped: 1, notes: ['skipped: promtool is not installed'] };
  }
  const upstream = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  try {
    const page = await withProxy(upstream.address().port, async ({ port, admin }) => {
      await fetch(`http://127.0.0.1:${port}/`).then((reply) => reply.text());
      return fetch(`${admin}/stats`).then((reply) => reply.text());
    });
    return verdictOn(page);
  } finally {
    upstream.closeAllConnections();
    upstream.close();
  }
}

/** One test for each family. */
function verdictOn(page) {
  const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: page, encoding: 'utf8' });
  const families = page.match(/^# TYPE /gm)?.length ?? 0;
  const complaints = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !SPECIFIED.test(line));
  const failed = new Set(complaints.map((line) => line.split(' ')[0])).size;
  return { passed: families - failed, failed, notes: complaints };
}
