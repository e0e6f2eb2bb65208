export {
  type FoundName,
  SEARCH_TEXT_MAX,
  type SearchReply,
  type SearchRequest,
  SearchService,
} from './search-service.ts';
