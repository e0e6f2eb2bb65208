import type { Command } from 'commander';
import { settingsOf } from './settings-of.ts';
import { serve } from './serve-hive.ts';

export function addTo(command: Command): void {
  command
    .option('--data-dir <path>', 'data directory')
    .option('--host <address>', 'address of HTTP')
    .option('--http-port <number>', 'port of HTTP, 0 for any')
    .option('--grpc-host <address>', 'address that edges reach')
    .option('--grpc-port <number>', 'port of gRPC, 0 for any')
    .option('--tls-ca <file>', 'authority of the edges; with it, edges must show a certificate')
    .option('--tls-cert <file>', 'the hive’s certificate')
    .option('--tls-key <file>', 'its private key')
    .action((_options: object, command: Command) => serve(settingsOf(command)));
}
