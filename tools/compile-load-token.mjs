/**
 * Compiles libs/load/worker/src/transaction/load-token.sol into the code in blueprint.ts beside it, after a
 * change of the token. The compiler is downloaded on demand. `--check` compares instead of writing.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMPILER = 'solc@0.8.30';
const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'libs/load/worker/src/transaction');
const target = join(folder, 'blueprint.ts');
const CODE = /const CODE = \[\n[^\]]*\];/;
const COLUMNS = 100;

function compile() {
  const input = {
    language: 'Solidity',
    sources: { 'load-token.sol': { content: readFileSync(join(folder, 'load-token.sol'), 'utf8') } },
    settings: {
      evmVersion: 'london',
      optimizer: { enabled: true, runs: 10_000 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    },
  };
  const text = execFileSync('npx', ['--yes', `--package=${COMPILER}`, 'solcjs', '--standard-json'], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const output = JSON.parse(text.slice(text.indexOf('{')));
  for (const { formattedMessage } of output.errors ?? []) console.error(formattedMessage);
  return output.contracts['load-token.sol'].LoadToken.evm.bytecode.object;
}

function withCode(source, code) {
  const lines = code.match(new RegExp(`.{1,${COLUMNS}}`, 'g')).map((line) => `  '${line}',`);
  return source.replace(CODE, ['const CODE = [', ...lines, '];'].join('\n'));
}

const source = readFileSync(target, 'utf8');
if (!CODE.test(source)) throw new Error(`expected the code of the token in ${target}`);
const compiled = withCode(source, compile());
if (!process.argv.includes('--check')) writeFileSync(target, compiled);
else if (source !== compiled) {
  console.error('the code in blueprint.ts is not what load-token.sol compiles to');
  process.exitCode = 1;
}
