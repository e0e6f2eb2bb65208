import type { Disk } from '#platform/disk';
import type { ConnectorType } from '../config/connector-type.ts';
import { ldapConnector } from '../connectors/ldap/ldap-connector.ts';
import { postgresConnector } from '../connectors/postgres/postgres-connector.ts';
import { sbomConnector } from '../connectors/sbom/sbom-connector.ts';
import { stixConnector } from '../connectors/stix/stix-connector.ts';
import { syntheticConnector } from '../connectors/synthetic/synthetic-connector.ts';

/** The connectors that come with Plexus. */
export function firstPartyConnectors(disk: Disk): readonly ConnectorType[] {
  return [
    ldapConnector(disk),
    postgresConnector,
    sbomConnector(disk),
    stixConnector(disk),
    syntheticConnector,
  ];
}
