import { containsUpdates, type Notification, type PlanOperator, type StatementSummary } from '#graph/cypher';
import { categoryOf } from '../message/notification-wishes.ts';
import { type BoltVersion, isAtLeast } from '../wire/handshake.ts';
import type { Metadata } from '../wire/reply-writer.ts';

/** From this version a summary has statuses of GQL in place of notifications. */
const STATUSES_SINCE: BoltVersion = { major: 5, minor: 6 };
/** From this version clients are told the category of a notification. */
const CATEGORIES_SINCE: BoltVersion = { major: 5, minor: 2 };
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
  const { kind, counters, notifications, plan } = summary;
  const stats = Object.fromEntries(
    Object.entries(counters)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => [name.replaceAll('_', '-'), count as number] as const),
  );
  return {
    type: kind,
    ...(plan !== undefined && { [plan.isProfiled ? 'profile' : 'plan']: planMetadata(plan.root) }),
    ...(containsUpdates(counters) && { stats: { ...stats, 'contains-updates': true } }),
    ...(isAtLeast(version, STATUSES_SINCE)
      ? { statuses: [outcome(hasColumns, hasRows), ...notifications.map(statusOf)] }
      : notificationsOf(notifications, version)),
  };
}

function notificationsOf(notifications: readonly Notification[], version: BoltVersion): Metadata {
  if (notifications.length === 0 || isAtLeast(version, WITHOUT_NOTIFICATIONS)) return {};
  return {
    notifications: notifications.map((each) => {
      const { code, title, description, severity } = each;
      const hasCategory = isAtLeast(version, CATEGORIES_SINCE);
      return { code, title, description, severity, ...(hasCategory && { category: categoryOf(each) }) };
    }),
  };
}

/** As drivers of Neo4j read plans; an operator that was measured has rows, hits and nanoseconds. */
function planMetadata(operator: PlanOperator): Metadata {
  const { operator: operatorType, identifiers, details, estimated_rows: estimate, children } = operator;
  const { rows, hits, time_ms: timeMs = 0 } = operator;
  const measured = {
    rows,
    ...(hits !== undefined && { dbHits: hits }),
    pageCacheHits: 0,
    pageCacheMisses: 0,
    time: Math.round(timeMs * 1_000_000),
  };
  return {
    operatorType: `${operatorType}@neo4j`,
    identifiers,
    args: { Details: details, ...(estimate !== undefined && { EstimatedRows: estimate }) },
    children: children.map(planMetadata),
    ...(rows !== undefined && measured),
  };
}

function outcome(hasColumns: boolean, hasRows: boolean): Metadata {
  if (!hasColumns)
    return { gql_status: '00001', status_description: 'note: successful completion - omitted result' };
  return hasRows
    ? { gql_status: '00000', status_description: 'note: successful completion' }
    : { gql_status: '02000', status_description: 'note: no data' };
}

function statusOf(notification: Notification): Metadata {
  const { code, title, description, severity } = notification;
  const isWarning = severity === 'WARNING';
  return {
    gql_status: isWarning ? '01N42' : '03N42',
    status_description: `${isWarning ? 'warn: unknown warning' : 'info: unknown notification'}. ${description}`,
    neo4j_code: code,
    title,
    description,
    diagnostic_record: { _severity: severity, _classification: categoryOf(notification) },
  };
}
