export { type CypherRequest, parseCypherRequest } from './service/cypher-request.ts';
export { type CypherReply, CypherService } from './service/cypher-service.ts';
