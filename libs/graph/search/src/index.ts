export {
  type FoundName,
  MATCHES_MAX,
  type SearchReply,
  type SearchRequest,
  SearchService,
} from './search-service.ts';
