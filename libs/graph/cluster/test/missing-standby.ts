/** Commits that wait for a synchronous standby, which a server does not have. */
import type { Cluster } from './cluster-harness.ts';

const WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/** From now on commits wait. The server applies the setting some time after the request. */
export async function standbyIsMissing(cluster: Cluster): Promise<void> {
  await setStandby(cluster, 'nobody');
  const taken = new AbortController();
  const commits = (async (): Promise<void> => {
    while (!taken.signal.aborted) await cluster.rows("SELECT pg_logical_emit_message(true, 'a commit', '')");
  })().catch(() => undefined);
  await waiting(cluster, "query LIKE '%a commit%'");
  taken.abort();
  await breakOff(cluster);
  await commits;
}

/** Commits wait no more, and those that do end. */
export function standbyIsBack(cluster: Cluster): Promise<void> {
  return setStandby(cluster, '');
}

/** Resolves to the process of a connection with this description, when it waits for a standby. */
export async function waiting(cluster: Cluster, described: string): Promise<number> {
  for (;;) {
    const [row] = await cluster.rows(`SELECT pid ${WAITING} AND ${described}`);
    if (row !== undefined) return Number(row['pid']);
  }
}

/** Ends the connections that wait for a standby. */
export async function breakOff(cluster: Cluster): Promise<void> {
  await cluster.rows(`SELECT pg_terminate_backend(pid) ${WAITING}`);
}

async function setStandby(cluster: Cluster, name: string): Promise<void> {
  await cluster.rows(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await cluster.rows('SELECT pg_reload_conf()');
}
