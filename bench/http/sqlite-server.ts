/** The peer: a plain server with Fastify and better-sqlite3, one route over prepared statements. */
import fastify from 'fastify';
import Database from 'better-sqlite3';
import { QUERIES, recordOfRow, type SqlEntity } from '../targets/relational.ts';

interface Question {
  readonly by: 'rack' | 'state';
  readonly value: string;
}

const [file = '', port = ''] = process.argv.slice(2);
const database = new Database(file, { readonly: true });
const statements = {
  rack: database.prepare<SqlEntity>(QUERIES.rack.replace('$1', '?')),
  state: database.prepare<SqlEntity>(QUERIES.hosts.replace('$1', '?')),
};
const server = fastify();

server.get('/v1/health', () => ({ status: 'healthy' }));
server.post('/v1/query', ({ body }) => {
  const { by, value } = body as Question;
  const entities = statements[by].all(value).map(recordOfRow);
  return { count: entities.length, entities, warnings: [] };
});
await server.listen({ host: '127.0.0.1', port: Number(port) });
