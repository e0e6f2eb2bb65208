import { html, Markup } from './markup.ts';
import { STYLE } from './style.ts';

/** A whole document that asks nothing of a network and runs no script. */
export function page(title: string, content: Markup): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <title>${title}</title>
        ${new Markup(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html> `.text;
}
