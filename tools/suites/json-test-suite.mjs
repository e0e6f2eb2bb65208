import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ROOT, withGraphService } from './support/graph-service.mjs';

export const source = 'JSONTestSuite by Nicolas Seriot (github.com/nst/JSONTestSuite), test_parsing, MIT';

const FILE = join(ROOT, 'tools', 'suites', 'json-test-suite', 'test_parsing.json.gz');

/**
 * Each text is the body of a query. Invalid JSON (`n_`) must be rejected with 400 `INVALID_REQUEST`; valid
 * JSON (`y_`) must be accepted as a parameter of a query; for undefined cases (`i_`) either is correct.
 */
export function run() {
  const cases = Object.entries(JSON.parse(gunzipSync(readFileSync(FILE)).toString('utf8')));
  return withGraphService(async ({ url }) => {
    const faults = [];
    for (const [name, base64] of cases) {
      const fault = await faultOf(url, name, Buffer.from(base64, 'base64'));
      if (fault !== undefined) faults.push(`${name}: ${fault}`);
    }
    const refused = cases.filter(([name]) => name.startsWith('n_')).length;
    const notes = [`${refused} texts that are no JSON, of ${cases.length}`, ...faults];
    return { passed: cases.length - faults.length, failed: faults.length, notes };
  });
}

async function faultOf(url, name, text) {
  const isRefused = name.startsWith('n_');
  const body = isRefused ? text : withParameter(text);
  const reply = await fetch(`${url}/v1/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { error } = await reply.json();
  const isBad = reply.status === 400 && error === 'INVALID_REQUEST';
  const isGood = reply.status === 200;
  const isRight = isRefused ? isBad : name.startsWith('y_') ? isGood : isBad || isGood;
  return isRight ? undefined : `${reply.status} ${error ?? ''}`;
}

function withParameter(text) {
  return Buffer.concat([Buffer.from('{"pql":"FIND host","params":{"p":'), text, Buffer.from('}}')]);
}
