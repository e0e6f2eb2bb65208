/** Gives the user a file that was made in the page. */
export function download(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** `plexus-2026-11-22T17-04-09.csv` */
export function fileName(extension: string): string {
  return `plexus-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.${extension}`;
}
