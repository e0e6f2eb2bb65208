/** Formatted figures: three digits, thousands separators, a dash for missing measurements. */

const NOTHING = '–';

export function count(value: number | null): string {
  return value === null ? NOTHING : Math.round(value).toLocaleString('en-US');
}

export function rate(value: number | null): string {
  return value === null ? NOTHING : significant(value);
}

export function ms(value: number | null | undefined): string {
  if (value === null || value === undefined) return NOTHING;
  return value >= 10_000 ? `${significant(value / 1_000)} s` : `${significant(value)} ms`;
}

export function percent(share: number | null): string {
  if (share === null) return NOTHING;
  const digits = share > 0 && share < 0.01 ? 2 : 1;
  return `${(share * 100).toFixed(digits).replace(/\.0+$/, '')} %`;
}

export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  const [minutes, hours] = [Math.floor(seconds / 60) % 60, Math.floor(seconds / 3_600)];
  const parts = [hours > 0 ? `${hours} h` : '', minutes > 0 ? `${minutes} min` : '', `${seconds % 60} s`];
  return parts.filter(Boolean).join(' ');
}

/** The time to the minute, in UTC. */
export function moment(iso: string | null): string {
  return iso === null ? NOTHING : `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

export function gibibytes(bytes: number): string {
  return `${significant(bytes / 2 ** 30)} GiB`;
}

export function words(name: string): string {
  return name.replaceAll('_', ' ');
}

function significant(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumSignificantDigits: 3 });
}
