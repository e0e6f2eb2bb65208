/**
 * Compiles samples/contracts/*.sol into artefacts beside them, in the form of Hardhat, after a change of a
 * contract. The compiler is downloaded on demand. `--check` compares instead of writing.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMPILER = 'solc@0.8.30';
const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'samples/contracts');

function compile(names) {
  const sources = names.map((name) => [name, { content: readFileSync(join(folder, name), 'utf8') }]);
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(sources),
    settings: {
      evmVersion: 'london',
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const text = execFileSync('npx', ['--yes', `--package=${COMPILER}`, 'solcjs', '--standard-json'], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const output = JSON.parse(text.slice(text.indexOf('{')));
  for (const { formattedMessage } of output.errors ?? []) console.error(formattedMessage);
  return output.contracts;
}

const compiled = compile(readdirSync(folder).filter((name) => name.endsWith('.sol')));
for (const [sourceName, contracts] of Object.entries(compiled)) {
  for (const [contractName, { abi, evm }] of Object.entries(contracts)) {
    const artefact = { contractName, sourceName, abi, bytecode: `0x${evm.bytecode.object}` };
    const target = join(folder, `${contractName}.json`);
    const text = `${JSON.stringify(artefact)}\n`;
    if (!process.argv.includes('--check')) writeFileSync(target, text);
    else if (readFileSync(target, 'utf8') !== text) {
      console.error(`${contractName}.json is not what ${sourceName} compiles to`);
      process.exitCode = 1;
    }
  }
}
