import { DomainError } from '#platform/foundation';
import type { Subscription } from '../config/notification-config.ts';
import { ChangeNotices, type ChangeNoticesOptions } from './change-notices.ts';

/** The subscriptions to changes of the graph. */
export class ChangeNoticeList {
  readonly all: readonly ChangeNotices[];

  /** Throws INVALID_CONFIG for a query that selects no changes, and for a graph without history. */
  constructor(subscriptions: readonly Subscription[], options: ChangeNoticesOptions) {
    const wanted = subscriptions.filter(isOfChanges);
    if (wanted.length > 0 && options.graph.history.horizon === undefined)
      throw new DomainError(
        'INVALID_CONFIG',
        'notifications: on: changed needs history, and PLEXUS_RETENTION or PLEXUS_HISTORY is off',
      );
    this.all = wanted.map((each) => noticesOf(each, options));
  }
}

/** A filter by what a change does not have matches none. */
function isOfChanges({ on, severity, framework, rule, connector }: Subscription): boolean {
  return (
    on.includes('changed') && [severity, framework, rule, connector].every((filter) => filter === undefined)
  );
}

function noticesOf(subscription: Subscription, options: ChangeNoticesOptions): ChangeNotices {
  try {
    return new ChangeNotices(options, subscription);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const message = `notifications: query: ${subscription.query ?? ''}: ${error.message}`;
    throw new DomainError('INVALID_CONFIG', message, { cause: error });
  }
}
