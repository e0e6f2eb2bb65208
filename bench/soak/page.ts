/** A page of metrics, and its invariants. */

export class Page {
  readonly #samples = new Map<string, number>();

  constructor(text: string) {
    for (const line of text.split('\n')) {
      const at = line.lastIndexOf(' ');
      if (!line.startsWith('#') && at > 0) this.#samples.set(line.slice(0, at), Number(line.slice(at + 1)));
    }
  }

  of(sample: string): number {
    return this.#samples.get(`plexus_${sample}`) ?? 0;
  }

  /** The sum over all samples of a family whose labels include these. */
  sum(family: string, ...words: readonly string[]): number {
    let sum = 0;
    for (const [name, value] of this.#samples) {
      const isOne = name === `plexus_${family}` || name.startsWith(`plexus_${family}{`);
      if (isOne && words.every((word) => name.includes(`"${word}"`))) sum += value;
    }
    return sum;
  }

  /** The violations, compared with the earlier page `before`. */
  faults(before: Page | undefined): string[] {
    const faults: string[] = [];
    const total = this.of('downstream_cx_total');
    const active = this.of('downstream_cx_active');
    if (active < 0 || active > total) faults.push(`${active} of ${total} connections are active`);
    if (this.sum('listener_cx_active') !== active) faults.push('the listeners count other connections');
    const rejected = this.of('circuit_breaker_rejected');
    if (rejected !== this.sum('cluster_circuit_breaker_rejected_total'))
      faults.push('rejections do not add up');
    for (const [name, value] of this.#samples) {
      if (value < 0) faults.push(`${name} is ${value}`);
      const earlier = before?.of(name.slice('plexus_'.length)) ?? value;
      if (isCounter(name) && value < earlier) faults.push(`${name} fell to ${value}`);
    }
    return faults;
  }
}

/** Counters of endpoints restart when one reload removes them and the next restores them. */
function isCounter(name: string): boolean {
  if (/^plexus_(nodejs|endpoint)_/.test(name)) return false;
  return /_total(\{|$)/.test(name) || name === 'plexus_circuit_breaker_rejected';
}
