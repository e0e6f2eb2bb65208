/** Offers a file made in the page for download. */
export function download(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has started reading by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** `plexus-2026-11-22T17-04-09.csv` */
export function fileName(extension: string): string {
  return `plexus-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.${extension}`;
}
