import type { Command } from 'commander';
import { settingsOf } from '../command-context.ts';

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('serve edges over gRPC and people over HTTP until SIGTERM')
    .option('--data-dir <path>', 'data directory')
    .option('--host <address>', 'address of HTTP')
    .option('--http-port <number>', 'port of HTTP, 0 for any')
    .option('--grpc-host <address>', 'address that edges reach')
    .option('--grpc-port <number>', 'port of gRPC, 0 for any')
    .option('--tls-ca <file>', 'authority of the edges; with it, edges must show a certificate')
    .option('--tls-cert <file>', 'the hive’s certificate')
    .option('--tls-key <file>', 'its private key')
    .action(async (_options: object, command: Command) => {
      const settings = settingsOf(command);
      // Other commands do without the servers, and start the sooner.
      const { serve } = await import('../serve/serve-hive.ts');
      await serve(settings);
    });
}
