import type { Command } from 'commander';
import { join, resolve } from 'node:path';
import { loadModule, testModule } from '#graph/connector';
import { UsageError, visibleText } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { CommandContext } from '../command-context.ts';
import { commandLog } from '../target/command-log.ts';
import { newConnectorFiles } from './new-connector.ts';

const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** Commands for who writes a connector. */
export function addAuthorCommands(connector: Command, context: CommandContext): void {
  const directoryOf = (command: Command): string => context.settingsOf(command).connectors || 'connectors';
  withDirectory(connector.command('new'))
    .description('write a module, a test of it and a sample of its configuration, to begin with')
    .argument('<name>', 'lower-case letters, digits and dashes')
    .action(async (name: string, _options: object, command: Command) => {
      const paths = await writeNew(name, directoryOf(command));
      await context.output.line(paths.map((path) => `wrote ${path}`).join('\n'));
    });
  withDirectory(connector.command('test'))
    .description('run the tests of a module, without a graph; exit code 1 if one fails')
    .argument('<name>', 'of <name>.mjs and <name>.test.mjs')
    .action(async (name: string, _options: object, command: Command) => {
      const log = commandLog(context.settingsOf(command));
      const file = moduleFile(directoryOf(command), name);
      const { type, fault } = await loadModule(file, { file, log });
      if (fault !== undefined) throw new DomainError('INVALID_CONFIG', fault);
      let failures = 0;
      for await (const test of testModule(type, file.replace(/\.mjs$/, '.test.mjs'))) {
        if (test.fault !== undefined) failures++;
        const lines = test.fault?.split('\n').map((line) => `\n    ${visibleText(line)}`) ?? [];
        await context.output.line(
          [`${lines.length === 0 ? 'ok' : 'FAILED'}  ${test.name}`, ...lines].join(''),
        );
      }
      if (failures > 0) throw new DomainError('CONFLICT', `tests of ${name} that failed: ${failures}`);
    });
}

function withDirectory(command: Command): Command {
  return command.option('--connectors <dir>', 'directory of connector files (default: connectors)');
}

/**
 * A function of its own: for a path from a pattern of names, the tracer of `npm run pack` would take every
 * module of the checkout into the archive.
 */
function moduleFile(directory: string, name: string): string {
  const fileName = [checkedName(name), 'mjs'].join('.');
  return resolve(directory, fileName);
}

function checkedName(name: string): string {
  if (NAME.test(name)) return name;
  throw new UsageError(`expected a name of lower-case letters, digits and dashes, got ${visibleText(name)}`);
}

/** Never overwrites a file. */
async function writeNew(name: string, directory: string): Promise<readonly string[]> {
  const paths: string[] = [];
  const files = newConnectorFiles(checkedName(name));
  const disk = new NodeDisk();
  await disk.makeDirectory(directory);
  for (const file of files) {
    const path = join(directory, file.name);
    if (!(await disk.createExclusive(path, Buffer.from(file.text, 'utf8'))))
      throw new DomainError('CONFLICT', `expected no file ${path}, and there is one: nothing is overwritten`);
    paths.push(path);
  }
  return paths;
}
