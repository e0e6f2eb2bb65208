import type { Command } from 'commander';
import { readEnvironment } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { loadProxyConfig } from '#proxy/engine';

export function addTo(command: Command): void {
  command.argument('<file>').action(check);
}

async function check(file: string): Promise<void> {
  const { config } = await loadProxyConfig({ disk: new NodeDisk(), file, environment: readEnvironment() });
  for (const warning of config.warnings) console.error(`warning: ${warning}`);
  const { listeners, clusters, routes } = config;
  console.log(
    `${file}: valid, ${counted(listeners, 'listener')}, ${counted(clusters, 'cluster')}, ${counted(routes, 'route')}`,
  );
}

function counted(list: readonly unknown[], noun: string): string {
  return `${list.length} ${noun}${list.length === 1 ? '' : 's'}`;
}
