/**
 * Compiles libs/load/worker/src/transaction/load-token.sol into load-token-code.ts beside it, after a change
 * of the token. The compiler is downloaded on demand. `--check` compares instead of writing.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMPILER = 'solc@0.8.30';
const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'libs/load/worker/src/transaction');
const target = join(folder, 'load-token-code.ts');
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

function sourceOf(code) {
  const lines = code.match(new RegExp(`.{1,${COLUMNS}}`, 'g')).map((line) => `  '${line}',`);
  return [
    `/** Made of load-token.sol by tools/compile-load-token.mjs with ${COMPILER}. */`,
    'const CODE = [',
    ...lines,
    '];',
    '',
    '/** What creates the token. */',
    "export const LOAD_TOKEN_CODE: Uint8Array = Buffer.from(CODE.join(''), 'hex');",
    '',
  ].join('\n');
}

const source = sourceOf(compile());
if (!process.argv.includes('--check')) writeFileSync(target, source);
else if (readFileSync(target, 'utf8') !== source) {
  console.error('load-token-code.ts is not what load-token.sol compiles to');
  process.exitCode = 1;
}
