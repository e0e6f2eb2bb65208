/** Signed EIP-1559 transfers per second on one core, from fields to hex text. */
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { timeRound } from './harness/stopwatch.ts';
import { renderTable } from './harness/table.ts';
import { createSigners } from './signing/signers.ts';
import { builtLibrary } from './targets/built-library.ts';

const VIEM_FACTOR = 5;
const PER_SECOND_MIN = 15_000;
const NONCES_COMPARED = [0, 1, 127, 128, 70_000];

const options = readOptions(process.argv.slice(2));
const chain = await builtLibrary('load/chain');
const signers = createSigners(chain);
const figures = new Map<string, number[]>();

for (const nonce of NONCES_COMPARED) {
  const signed = new Set(await Promise.all([...signers.values()].map(async (sign) => sign(nonce))));
  if (signed.size !== 1) throw new Error(`nonce ${nonce} is signed in ${signed.size} ways`);
}
for (let round = -1; round < options.rounds; round++) {
  for (const [name, sign] of signers) {
    const { msPerCall } = await timeRound(sign, options.roundMs);
    if (round >= 0) figures.set(name, [...(figures.get(name) ?? []), 1_000 / msPerCall]);
  }
}

const line = {
  title: 'transfers signed',
  unit: '/s',
  figures,
  reach: [{ against: 'viem', factor: VIEM_FACTOR }],
  bound: PER_SECOND_MIN,
} as const;
console.log(`## Signing, one core

${describeMachine()}. Plexus signs with ${chain.signingBackend}. Medians of ${options.rounds} rounds.

${renderTable('plexus', [...signers.keys()], [line])}
`);
