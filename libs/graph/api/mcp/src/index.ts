export {
  type DiffAsked,
  type FindingsDiffAsked,
  GraphAnswers,
  type PqlReply,
  type PqlRequest,
  type RowDiffAsked,
  type SchemaReply,
} from './answers/graph-answers.port.ts';
export { HistoryAnswers } from './answers/history-answers.ts';
export { ServiceAnswers } from './answers/service-answers.ts';
export { McpSessions, REQUESTS_MAX, SESSION_IDLE_MS, SESSIONS_MAX } from './http/mcp-sessions.ts';
export { PqlReference } from './server/resources.ts';
export { McpServers } from './server/create-mcp-server.ts';
export { TOOLS } from './tool/tools.ts';
