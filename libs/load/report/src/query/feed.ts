import type { RunTally } from '../data/run-record.ts';
import type { ReportFeed } from '../data/report.ts';

/** What an edge counted of the feed, which is exact however many events it had to drop. */
export function feedOf(tally: RunTally): ReportFeed {
  return {
    messages: tally.feed_messages,
    gaps: tally.feed_gaps ?? 0,
    duplicates: tally.feed_duplicates ?? 0,
    reorganisations: tally.feed_reorganisations ?? 0,
    disconnects: tally.feed_disconnects ?? 0,
    correlation_misses: tally.correlation_misses,
  };
}

export function feedTotal(feeds: readonly ReportFeed[]): ReportFeed {
  const sum = (name: keyof ReportFeed): number => feeds.reduce((total, feed) => total + feed[name], 0);
  return {
    messages: sum('messages'),
    gaps: sum('gaps'),
    duplicates: sum('duplicates'),
    reorganisations: sum('reorganisations'),
    disconnects: sum('disconnects'),
    correlation_misses: sum('correlation_misses'),
  };
}
