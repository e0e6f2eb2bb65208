import { basename } from 'node:path';
import type { Graph, LastSync } from '#graph/engine';
import type { Disk } from '#platform/disk';
import type { ConnectorType } from '../config/connector-type.ts';
import type { ConfiguredConnector } from '../config/read-connector.ts';
import { advisoriesConnector } from '../connectors/advisories/advisories-connector.ts';
import { awsConnector } from '../connectors/aws/aws-connector.ts';
import { bloodhoundConnector } from '../connectors/bloodhound/bloodhound-connector.ts';
import { containersConnector } from '../connectors/containers/containers-connector.ts';
import { hostConnector } from '../connectors/host/host-connector.ts';
import { kubernetesConnector } from '../connectors/kubernetes/kubernetes-connector.ts';
import { ldapConnector } from '../connectors/ldap/ldap-connector.ts';
import { nmapConnector } from '../connectors/nmap/nmap-connector.ts';
import { osqueryConnector } from '../connectors/osquery/osquery-connector.ts';
import { postgresConnector } from '../connectors/postgres/postgres-connector.ts';
import { sbomConnector } from '../connectors/sbom/sbom-connector.ts';
import { stixConnector } from '../connectors/stix/stix-connector.ts';
import { csvConnector, jsonConnector } from '../connectors/table/table-connectors.ts';
import { terraformConnector } from '../connectors/terraform/terraform-connector.ts';
import { syntheticConnector } from '../connectors/synthetic-connector.ts';
import type { ConnectorFile, ConnectorFiles } from '../files/connector-files.ts';
import type { ConnectorRuns } from '../sync/connector-runs.ts';
import type { RunRecord } from '../sync/run-history.ts';
import type { SyncCounts } from '../sync/sync-target.port.ts';

export interface ConnectorSummary {
  readonly id: string;
  readonly connector: string;
  readonly description: string;
  readonly schedule: string;
  readonly running: boolean;
  /** Why it cannot run. */
  readonly fault: string | null;
  /** Its file, and `stale` with the fault if that has become faulty since the settings in use were read. */
  readonly file: Pick<ConnectorFile, 'name' | 'state' | 'fault'>;
  readonly last_run: RunRecord | null;
  /** The last sync stored in the graph. */
  readonly last_sync: (SyncCounts & { readonly synced_at: string }) | null;
}

/** The configured connectors with their last runs; without `files` they are those of files just read. */
export function connectorList(
  runs: ConnectorRuns,
  graph: Graph,
  files?: Pick<ConnectorFiles, 'fileOf'>,
): readonly ConnectorSummary[] {
  const syncs = new Map(graph.lastSyncs().map((sync) => [sync.connector_id, sync]));
  return runs.connectors.map((connector) => {
    const { id } = connector;
    const summary = summaryOf(connector, runs.latest(id), syncs.get(id));
    const { name, state, fault } = files?.fileOf(id) ?? summary.file;
    return { ...summary, file: { name, state, fault } };
  });
}

export function summaryOf(
  { id, file, type, schedule, fault }: ConfiguredConnector,
  run: RunRecord | undefined,
  sync: LastSync | undefined,
): ConnectorSummary {
  return {
    id,
    connector: type.name,
    description: type.about,
    schedule: schedule.text,
    running: run !== undefined && run.ended_at === null,
    fault: fault ?? null,
    file: { name: basename(file), state: 'current', fault: null },
    last_run: run ?? null,
    last_sync: sync === undefined ? null : { ...sync.reply, synced_at: sync.synced_at },
  };
}

/** The connectors that come with Plexus. */
export function firstPartyConnectors(disk: Disk): readonly ConnectorType[] {
  return [
    advisoriesConnector(disk),
    awsConnector(disk),
    bloodhoundConnector(disk),
    containersConnector,
    csvConnector(disk),
    hostConnector(disk),
    jsonConnector(disk),
    kubernetesConnector(disk),
    ldapConnector(disk),
    nmapConnector(disk),
    osqueryConnector(disk),
    postgresConnector,
    sbomConnector(disk),
    stixConnector(disk),
    syntheticConnector,
    terraformConnector(disk),
  ];
}
