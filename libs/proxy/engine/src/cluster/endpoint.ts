import type { EndpointConfig, HostPort } from '../config/proxy-config.ts';
import { type CheckSettings, TargetChecks } from './health/target-checks.ts';
import { NameWatch } from './name-watch.ts';
import {
  type CallOff,
  type ClusterContext,
  type EndpointAvailability,
  isAddress,
} from './target/cluster-context.ts';
import type { EndpointCounters } from './target/endpoint-counters.ts';
import { Target } from './target/target.ts';

/** The cluster's settings for its endpoints. */
export interface EndpointSettings extends CheckSettings {
  readonly dnsRefreshMs: number;
}

export interface EndpointParts {
  readonly cluster: string;
  readonly config: EndpointConfig;
  readonly settings: EndpointSettings;
  readonly counters: EndpointCounters;
  readonly context: ClusterContext;
  /** Called when the set of targets, or their availability, changes. */
  readonly onChange: () => void;
  readonly onTargetRetired: (target: Target) => void;
}

/**
 * An endpoint at run time: its targets, their checks, the resolution of its name. New addresses of a name are
 * checked once before they replace the old ones.
 */
export class Endpoint {
  readonly address: HostPort;
  readonly counters: EndpointCounters;
  readonly #parts: EndpointParts;
  /** Undefined when a supervisor runs the checks. */
  readonly #checks: TargetChecks | undefined;
  readonly #name: NameWatch | undefined;
  #weight: number;
  #targets: readonly Target[] = [];
  #isDisabled = false;
  #isRetired = false;
  #resolveFault: string | undefined;
  #dnsRefreshMs: number;
  #callOffForgiving: CallOff | undefined;

  constructor(parts: EndpointParts) {
    const { config, settings, counters, context } = parts;
    this.#parts = parts;
    this.#weight = config.weight;
    this.#dnsRefreshMs = settings.dnsRefreshMs;
    this.address = config.address;
    this.counters = counters;
    if (context.supervisor !== undefined) return;
    const onChange = (target: Target, reason: string): void => this.#noteHealth(target, reason);
    this.#checks = new TargetChecks({ context, onChange }, settings);
    if (!isAddress(this.address.host)) this.#name = this.#watchName(settings.dnsRefreshMs);
  }

  get weight(): number {
    return this.#weight;
  }

  get targets(): readonly Target[] {
    return this.#targets;
  }

  get isDisabled(): boolean {
    return this.#isDisabled;
  }

  /** The error of the last resolution, if it failed. */
  get resolveFault(): string | undefined {
    return this.#resolveFault;
  }

  /** Resolves when the name has been resolved, successfully or not, and every target was checked once. */
  async start(): Promise<void> {
    if (this.#checks === undefined) this.#forgive();
    else await (this.#name === undefined ? this.#adopt([this.address.host]) : this.#name.start());
  }

  /** Targets keep their state. */
  configure(config: EndpointConfig, settings: EndpointSettings): void {
    this.#weight = config.weight;
    this.#dnsRefreshMs = settings.dnsRefreshMs;
    for (const target of this.#targets) target.weight = config.weight;
    if (this.#name !== undefined) this.#name.refreshMs = settings.dnsRefreshMs;
    this.#checks?.configure(settings, this.#targets);
  }

  /** Replaces the targets by those that the supervisor has found. */
  follow(found: EndpointAvailability['targets']): void {
    const old = new Map(this.#targets.map((target) => [target.ip, target]));
    const targets = found.map(({ ip, isAvailable }) => {
      const target = old.get(ip) ?? this.#makeTarget(ip);
      target.isHealthy = isAvailable;
      // After it was out of service, its failures are counted from zero.
      if (!isAvailable) target.consecutive5xx = target.consecutiveConnectFailures = 0;
      return target;
    });
    this.#replaceTargets(targets);
    this.#parts.onChange();
  }

  /** A disabled endpoint gets no new requests, and keeps those it has. */
  setEnabled(isEnabled: boolean): void {
    if (this.#isDisabled === !isEnabled) return;
    this.#isDisabled = !isEnabled;
    for (const target of this.#targets) target.isDisabled = this.#isDisabled;
    this.#parts.onChange();
    this.#parts.context.emit({ type: 'endpoint_switched', ...this.#eventHead(), isEnabled });
  }

  retire(): void {
    this.#isRetired = true;
    this.#name?.stop();
    this.#callOffForgiving?.();
    // Targets of a first check in progress are not in service yet.
    this.#checks?.stop();
    for (const target of this.#targets) this.#retireTarget(target);
    this.#targets = [];
  }

  #watchName(refreshMs: number): NameWatch {
    const { timers, resolve } = this.#parts.context;
    const parts = {
      name: this.address.host,
      timers,
      resolve,
      onAddresses: (ips: readonly string[]) => this.#adopt(ips),
      onFault: (fault: string) => this.#noteFault(fault),
    };
    return new NameWatch(parts, refreshMs);
  }

  /** Retries unreachable addresses; under a supervisor, the resolution does so at its interval. */
  #forgive(): void {
    if (isAddress(this.address.host)) return;
    for (const target of this.#targets) target.isUnreachable = false;
    const { timers } = this.#parts.context;
    this.#callOffForgiving = timers.after(this.#dnsRefreshMs, () => this.#forgive());
  }

  async #adopt(ips: readonly string[]): Promise<void> {
    const old = new Map(this.#targets.map((target) => [target.ip, target]));
    const targets = ips.map((ip) => old.get(ip) ?? this.#makeTarget(ip));
    const fresh = targets.filter((target) => !old.has(target.ip));
    await Promise.all(fresh.map(async (target) => this.#checks?.watch(target)));
    if (this.#isRetired) for (const target of fresh) this.#retireTarget(target);
    else this.#settle(targets);
  }

  /** Installs the targets; settings changed in the meantime apply to the new ones too. */
  #settle(targets: readonly Target[]): void {
    const wasFault = this.#resolveFault !== undefined;
    this.#resolveFault = undefined;
    const isNews = this.#replaceTargets(targets);
    if (isNews) this.#parts.onChange();
    if ((isNews || wasFault) && this.#name !== undefined) this.#emitResolved();
  }

  /** Returns whether they differ from before. */
  #replaceTargets(targets: readonly Target[]): boolean {
    const gone = this.#targets.filter((target) => !targets.includes(target));
    const isNews = targets.length !== this.#targets.length || gone.length > 0;
    this.#targets = targets;
    for (const target of targets) {
      target.weight = this.#weight;
      target.isDisabled = this.#isDisabled;
      target.siblings = targets;
      target.isUnreachable = false;
      void this.#checks?.watch(target);
    }
    for (const target of gone) this.#retireTarget(target);
    return isNews;
  }

  #makeTarget(ip: string): Target {
    const { counters, address: endpoint } = this;
    return new Target({ endpoint, ip, weight: this.#weight, counters, isHealthy: false });
  }

  #retireTarget(target: Target): void {
    this.#checks?.forget(target);
    target.retire();
    this.#parts.onTargetRetired(target);
  }

  #noteHealth(target: Target, reason: string): void {
    this.#parts.onChange();
    const { address, isHealthy: healthy } = target;
    const event = {
      type: 'endpoint_health',
      ...this.#eventHead(),
      target: address,
      healthy,
      reason,
    } as const;
    this.#parts.context.emit(event);
  }

  #noteFault(fault: string): void {
    const isNews = this.#resolveFault === undefined;
    this.#resolveFault = fault;
    if (isNews) this.#emitResolved();
  }

  #emitResolved(): void {
    const targets = this.#targets.map((target) => target.address);
    const fault = this.#resolveFault;
    const event = { type: 'endpoint_resolved', ...this.#eventHead(), targets } as const;
    this.#parts.context.emit(fault === undefined ? event : { ...event, fault });
  }

  #eventHead(): { readonly at: number; readonly cluster: string; readonly address: string } {
    const { cluster, context } = this.#parts;
    return { at: context.timers.nowMs(), cluster, address: this.address.text };
  }
}
