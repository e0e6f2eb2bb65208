import type { Command } from 'commander';
import { settingsOf } from './settings-of.ts';
import { serve } from './serve-hive.ts';

export function addTo(command: Command): void {
  command
    .option('--data-dir <path>', 'data directory')
    .option('--host <address>', 'HTTP listen address')
    .option('--http-port <number>', 'HTTP port, 0 for any free port')
    .option('--grpc-host <address>', 'gRPC listen address for edges')
    .option('--grpc-port <number>', 'gRPC port, 0 for any free port')
    .option('--tls-ca <file>', 'CA certificate of the edges; requires client certificates')
    .option('--tls-cert <file>', 'certificate of the hive')
    .option('--tls-key <file>', 'private key of the hive')
    .action((_options: object, command: Command) => serve(settingsOf(command)));
}
