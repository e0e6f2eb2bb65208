import { TallyHistogram } from '#platform/observability';

const BUCKETS_S = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/** Number and duration of queries by kind of result. */
export class QueryDurations extends TallyHistogram<'kind'> {
  constructor() {
    super({
      name: 'plexus_query_duration_seconds',
      help: 'duration of a query including waiting; failed queries have the kind error',
      label: 'kind',
      buckets: BUCKETS_S,
    });
  }
}
