import { dataOf } from '../../kit/session/api-error.ts';
import { checkScenario, createRun, downloadRunFile } from '../api/generated/sdk.gen.ts';
import type { RunDto, ScenarioCheckDto } from '../api/generated/types.gen.ts';

/** A scenario for a first run against the development sequencer. */
export const FIRST_SCENARIO = `name: smoke
target:
  chain_id: 412346
  rpc_urls: [http://127.0.0.1:8547]
  feed_url: ws://127.0.0.1:9642
accounts: { count: 200 }
load:
  stages:
    - { name: warm, duration: 10s, rate: 50, exclude: true }
    - { name: steady, duration: 50s, rate: 200 }
thresholds:
  - { metric: feed_latency_p99_ms, max: 800 }
`;

/** JSON is parsed as YAML; TOML has `name = …` where YAML has `name: …`. */
function optionsOf(text: string) {
  const isToml = /^\s*(?:\[[\w.]+\]|[\w.]+\s*=)/m.test(text) && !/^\s*[\w]+:\s/m.test(text);
  const type = isToml ? 'application/toml' : 'application/yaml';
  return { body: text, bodySerializer: null, headers: { 'Content-Type': type } };
}

export function check(text: string): Promise<ScenarioCheckDto> {
  return dataOf(checkScenario(optionsOf(text)));
}

export function start(text: string): Promise<RunDto> {
  return dataOf(createRun(optionsOf(text)));
}

/** The text of an earlier run's scenario; secrets of its URLs appear as `***`. */
export async function scenarioOf(runId: string): Promise<string> {
  const path = { run_id: runId, name: 'scenario.yaml' };
  const file: unknown = await dataOf(downloadRunFile({ path, parseAs: 'text' }));
  return String(file);
}
