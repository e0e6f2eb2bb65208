/** The icons of classes, as outlines on a grid of 16. */
import type { ClassStyleDto } from '../api/generated/types.gen.ts';

export type ClassIcon = NonNullable<ClassStyleDto['icon']>;

export const CLASS_ICONS: Readonly<Record<ClassIcon, string>> = {
  person: 'M8 3a2.5 2.5 0 1 0 0 5a2.5 2.5 0 0 0 0-5zM3.5 13.5a4.5 4.5 0 0 1 9 0',
  people:
    'M6 3.5a2 2 0 1 0 0 4a2 2 0 0 0 0-4zM2 13a4 4 0 0 1 8 0M11 4.5a1.8 1.8 0 0 1 0 3.4M11.5 9.5a3.6 3.6 0 0 1 2.5 3.5',
  key: 'M5.5 8a2.5 2.5 0 1 0 0 .01M8 8h6M12 8v2.5M14 8v2',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5.5a2.5 2.5 0 0 1 5 0v2',
  shield: 'M8 2.5l5 2v4c0 3-2.5 4.5-5 5.5c-2.5-1-5-2.5-5-5.5v-4z',
  server: 'M3 3.5h10v4H3zM3 8.5h10v4H3zM5 5.5h.01M5 10.5h.01',
  laptop: 'M4 4h8v6H4zM2 12.5h12',
  phone: 'M5 2.5h6v11H5zM7.5 11.5h1',
  container: 'M3 5l5-2.5l5 2.5v6l-5 2.5l-5-2.5zM3 5l5 2.5l5-2.5M8 7.5v6',
  database: 'M3.5 4.5a4.5 1.8 0 0 0 9 0a4.5 1.8 0 0 0-9 0v7a4.5 1.8 0 0 0 9 0v-7M3.5 8a4.5 1.8 0 0 0 9 0',
  bucket: 'M3 4.5h10l-1.2 9H4.2zM3 4.5a5 1.5 0 0 1 10 0',
  cloud: 'M5 12.5a3 3 0 0 1-.3-6a3.5 3.5 0 0 1 6.8 1a2.5 2.5 0 0 1 0 5z',
  network: 'M6 2.5h4v3H6zM2 10.5h4v3H2zM10 10.5h4v3h-4zM8 5.5v2.5M4 10.5V8h8v2.5',
  globe:
    'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11zM2.5 8h11M8 2.5c-4 3.5-4 7.5 0 11M8 2.5c4 3.5 4 7.5 0 11',
  function: 'M11 3c-2-.5-2.8.5-3 2.5L7 11c-.2 2-1 2.8-3 2.3M5 7h5',
  code: 'M5.5 4.5L2.5 8l3 3.5M10.5 4.5L13.5 8l-3 3.5',
  package: 'M3 5h10v8.5H3zM3 5l1.5-2.5h7L13 5M8 2.5V8',
  document: 'M4 2.5h5.5L12 5v8.5H4zM9.5 2.5V5H12M6 8h4M6 10.5h4',
  certificate: 'M3 3h10v7H3zM5 5.5h6M8 9.5v4.5M6 14l2-1l2 1',
  bug: 'M5.5 6a2.5 3 0 0 1 5 0v4a2.5 3 0 0 1-5 0zM8 6v7M2.5 5l3 2M13.5 5l-3 2M2.5 12l3-2M13.5 12l-3-2',
  alert: 'M8 2.5l6 11H2zM8 6.5v3.5M8 12h.01',
  building: 'M4 2.5h8v11H4zM6.5 5h.01M9.5 5h.01M6.5 8h.01M9.5 8h.01M7 13.5v-3h2v3',
};

const addresses = new Map<ClassIcon, string>();

/** The icon in white, as the address of a picture. */
export function iconAddress(icon: ClassIcon): string {
  const known = addresses.get(icon);
  if (known !== undefined) return known;
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="-4 -4 24 24" fill="none" stroke="#fff"' +
    ` stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"><path d="${CLASS_ICONS[icon]}"/></svg>`;
  const address = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  addresses.set(icon, address);
  return address;
}
