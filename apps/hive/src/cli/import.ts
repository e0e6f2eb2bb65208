import { Argument, type Command } from 'commander';
import { importContender } from '#load/scenario';
import { readStandardInput, STANDARD_INPUT, UsageError } from '#platform/cli';
import { yamlText } from '#platform/config';
import { isMissingFile, NodeDisk } from '#platform/disk';

/** What Contender takes from its command line; to be changed in the result. */
const SURROUNDINGS = {
  target: {
    chain_id: 412_346,
    rpc_urls: ['http://127.0.0.1:8547'],
    feed_url: 'ws://127.0.0.1:9642',
  },
  accounts: { count: 100 },
  load: { stages: [{ duration: '30s', rate: 20 }] },
};

export function addTo(command: Command): void {
  command
    .addArgument(new Argument('<format>', 'the other load tester').choices(['contender']))
    .argument('<file>', 'its scenario, in TOML; - reads standard input')
    .action((_format: string, file: string) => importFile(file));
}

/** Prints the scenario in YAML, and what was left out to standard error. */
async function importFile(path: string): Promise<void> {
  const file = path === '-' ? STANDARD_INPUT : path;
  const text = path === '-' ? await readStandardInput() : await contentOf(path);
  const { document, notes } = importContender(text, file);
  const { name, ...rest } = document;
  for (const note of notes) console.error(`${file}: ${note}`);
  console.log(yamlText({ name, ...SURROUNDINGS, ...rest }));
}

function contentOf(file: string): Promise<string> {
  return new NodeDisk().readText(file).catch((cause: unknown) => {
    if (!isMissingFile(cause)) throw cause;
    throw new UsageError(`${file}: no such file`);
  });
}
