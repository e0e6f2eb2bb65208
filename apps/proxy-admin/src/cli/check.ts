import type { Command } from 'commander';
import { readEnvironment } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { countedText } from '#platform/foundation';
import { loadProxyConfig } from '#proxy/engine';
import { readConfigArgument } from './config-argument.ts';

export function addTo(command: Command): void {
  command.argument('<file|->', 'the configuration; - reads standard input').action(check);
}

async function check(path: string): Promise<void> {
  const disk = new NodeDisk();
  const { file, text } = await readConfigArgument(disk, path);
  const { config } = await loadProxyConfig({ disk, file, text, environment: readEnvironment() });
  for (const warning of config.warnings) console.error(`warning: ${warning}`);
  const { listeners, clusters, routes } = config;
  console.log(
    `${file}: valid, ${countedText(listeners.length, 'listener')}, ` +
      `${countedText(clusters.length, 'cluster')}, ${countedText(routes.length, 'route')}`,
  );
}
