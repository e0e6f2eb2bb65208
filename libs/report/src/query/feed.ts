import type { ReportFeed } from '../report.ts';
import type { RunFiles } from './run-files.ts';

interface FeedRow extends ReportFeed {
  readonly [name: string]: unknown;
  readonly edge_id: string;
}

export const NO_FEED: ReportFeed = {
  messages: 0,
  gaps: 0,
  duplicates: 0,
  reorganisations: 0,
  disconnects: 0,
  correlation_misses: 0,
};

/** What each edge counted of the feed, which is exact however many events it had to drop; by edge. */
export async function readFeeds(files: RunFiles): Promise<ReadonlyMap<string, ReportFeed>> {
  const rows = await files.rows<FeedRow>(`SELECT edge_id, sum(feed_messages)::DOUBLE AS messages,
      sum(feed_gaps)::DOUBLE AS gaps, sum(feed_duplicates)::DOUBLE AS duplicates,
      sum(feed_reorganisations)::DOUBLE AS reorganisations, sum(feed_disconnects)::DOUBLE AS disconnects,
      sum(correlation_misses)::DOUBLE AS correlation_misses
    FROM edges GROUP BY edge_id`);
  return new Map(rows.map(({ edge_id: edgeId, ...feed }) => [edgeId, feed]));
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
