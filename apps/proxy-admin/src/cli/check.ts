import type { Command } from 'commander';
import { readStandardInput, STANDARD_INPUT } from '#platform/cli';
import { readEnvironment } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { countedText } from '#platform/foundation';
import { loadProxyConfig } from '#proxy/engine';

export function addTo(command: Command): void {
  command.argument('<file|->', 'the configuration; - reads standard input').action(check);
}

/** Files that a configuration on standard input names are relative to the working directory. */
async function check(path: string): Promise<void> {
  const [file, text] = path === '-' ? [STANDARD_INPUT, await readStandardInput()] : [path, undefined];
  const options = { disk: new NodeDisk(), file, text, environment: readEnvironment() };
  const { config } = await loadProxyConfig(options);
  for (const warning of config.warnings) console.error(`warning: ${warning}`);
  const { listeners, clusters, routes } = config;
  console.log(
    `${file}: valid, ${countedText(listeners.length, 'listener')}, ` +
      `${countedText(clusters.length, 'cluster')}, ${countedText(routes.length, 'route')}`,
  );
}
