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
  readonly last_run: RunRecord | null;
  /** The last sync stored in the graph. */
  readonly last_sync: (SyncCounts & { readonly synced_at: string }) | null;
}

/** The configured connectors with their last runs. */
export function connectorList(runs: ConnectorRuns, graph: Graph): readonly ConnectorSummary[] {
  const syncs = new Map(graph.lastSyncs().map((sync) => [sync.connector_id, sync]));
  return runs.connectors.map((connector) =>
    summaryOf(connector, runs.latest(connector.id), syncs.get(connector.id)),
  );
}

export function summaryOf(
  { id, type, schedule, fault }: ConfiguredConnector,
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
