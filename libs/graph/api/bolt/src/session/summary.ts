import type { Notification, StatementSummary } from '#graph/cypher';
import { type BoltVersion, isAtLeast } from '../wire/handshake.ts';
import type { Metadata } from '../wire/reply-writer.ts';

/** From this version a summary has statuses of GQL in place of notifications. */
const STATUSES_SINCE: BoltVersion = { major: 5, minor: 6 };
/** No server has it: the form of its notifications is not known. */
const WITHOUT_NOTIFICATIONS: BoltVersion = { major: 5, minor: 5 };

export interface SummaryParts {
  readonly summary: StatementSummary;
  readonly hasColumns: boolean;
  readonly hasRows: boolean;
}

/** What a client is told at the end of a statement. */
export function summaryMetadata(
  { summary, hasColumns, hasRows }: SummaryParts,
  version: BoltVersion,
): Metadata {
  const { kind, counters, notifications } = summary;
  const stats = Object.fromEntries(
    Object.entries(counters)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => [name.replaceAll('_', '-'), count as number] as const),
  );
  const isChanged = Object.keys(stats).length > 0;
  return {
    type: kind,
    ...(isChanged && { stats: { ...stats, 'contains-updates': true } }),
    ...(isAtLeast(version, STATUSES_SINCE)
      ? { statuses: [outcome(hasColumns, hasRows), ...notifications.map(statusOf)] }
      : notificationsOf(notifications, version)),
  };
}

function notificationsOf(notifications: readonly Notification[], version: BoltVersion): Metadata {
  if (notifications.length === 0 || isAtLeast(version, WITHOUT_NOTIFICATIONS)) return {};
  return {
    notifications: notifications.map(({ code, title, description, severity }) => ({
      code,
      title,
      description,
      severity,
    })),
  };
}

function outcome(hasColumns: boolean, hasRows: boolean): Metadata {
  if (!hasColumns)
    return { gql_status: '00001', status_description: 'note: successful completion - omitted result' };
  return hasRows
    ? { gql_status: '00000', status_description: 'note: successful completion' }
    : { gql_status: '02000', status_description: 'note: no data' };
}

function statusOf({ code, title, description, severity }: Notification): Metadata {
  const isWarning = severity === 'WARNING';
  return {
    gql_status: isWarning ? '01N42' : '03N42',
    status_description: `${isWarning ? 'warn: unknown warning' : 'info: unknown notification'}. ${description}`,
    neo4j_code: code,
    title,
    description,
    diagnostic_record: { _severity: severity },
  };
}
