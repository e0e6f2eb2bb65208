import { durationText } from '#platform/config';
import { redactedUrl, urlSecrets, withoutSecrets } from '#platform/foundation';
import type { Scenario } from './scenario.ts';

/** A document that parses to the same scenario, without the secrets of URLs; durations are texts. */
export function scenarioDocument(scenario: Scenario): Readonly<Record<string, unknown>> {
  const { load, correlation, thresholds, webhook, edges } = scenario;
  const { start_timeout: startTimeout } = edges;
  return {
    ...scenario,
    target: { ...scenario.target, ...redactedUrls(scenario.target) },
    load: {
      ...load,
      stages: load.stages.map((stage) => ({ ...stage, duration: durationText(stage.duration) })),
    },
    correlation: { ...correlation, timeout: durationText(correlation.timeout) },
    ...(webhook !== undefined && { webhook: { ...webhook, timeout: durationText(webhook.timeout) } }),
    edges: {
      ...edges,
      ...(startTimeout !== undefined && { start_timeout: durationText(startTimeout) }),
    },
    thresholds: thresholds.map((threshold) => ({ ...threshold, after: durationText(threshold.after) })),
  };
}

type Target = Scenario['target'];

/** The URLs of a target as given, possibly with secrets. */
export type TargetUrls = Pick<Target, 'rpc_urls' | 'send_urls' | 'read_urls' | 'feed_url'>;

/** The URLs that receive transactions, in rotation. */
export function sendUrlsOf({ send_urls: send, rpc_urls: both = [] }: Target): readonly string[] {
  return send ?? both;
}

/** The URLs of all other calls. */
export function readUrlsOf({ read_urls: read, rpc_urls: both = [] }: Target): readonly string[] {
  return read ?? both;
}

export function targetUrls(target: Target): TargetUrls {
  const { rpc_urls, send_urls, read_urls, feed_url } = target;
  return { rpc_urls, send_urls, read_urls, feed_url };
}

/** Whether a URL of the target contains a secret. */
export function hasSecretUrls(target: Target): boolean {
  return allOf(target).some((url) => redactedUrl(url) !== url);
}

/** The URLs without their secrets, for display. */
function redactedUrls(target: Target): TargetUrls {
  const urls = targetUrls(target);
  return {
    rpc_urls: urls.rpc_urls?.map(redactedUrl),
    send_urls: urls.send_urls?.map(redactedUrl),
    read_urls: urls.read_urls?.map(redactedUrl),
    feed_url: urls.feed_url === undefined ? undefined : redactedUrl(urls.feed_url),
  };
}

/** A scenario's original text without the secrets of its URLs. */
export function redactedText(text: string, target: Target): string {
  const urls = allOf(target);
  const replaced = urls.reduce((rest, url) => rest.replaceAll(url, redactedUrl(url)), text);
  return withoutSecrets(replaced, urls.flatMap(urlSecrets));
}

function allOf({ rpc_urls = [], send_urls = [], read_urls = [], feed_url }: Target): readonly string[] {
  return [...rpc_urls, ...send_urls, ...read_urls, ...(feed_url === undefined ? [] : [feed_url])];
}
