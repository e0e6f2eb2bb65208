import type { FastifyReply } from 'fastify';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/** Sent with everything of a sign-in: its URLs are for this browser only. */
export const UNSHARED = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' } as const;

/** Why a sign-in has ended without a session. */
const SIGN_IN_FAULTS = {
  away: {
    status: 503,
    title: 'The provider of identities cannot be reached',
    text: 'Nobody can sign in until it is back. Sessions that are open go on, and keys work as before.',
  },
  refused: {
    status: 400,
    title: 'You are not signed in',
    text: 'The provider did not confirm this sign-in, or it was begun in another browser or too long ago.',
  },
  unknown: {
    status: 403,
    title: 'You have no access',
    text: 'You are signed in at the provider, but none of your groups has a role here. Ask the administrators.',
  },
  plain: {
    status: 403,
    title: 'Signing in needs TLS',
    text: 'Without TLS pages sign in only in a browser on the same machine, under localhost.',
  },
} as const;

/** Answers with a page that says why, and leads back. */
export function sendSignInFault(reply: FastifyReply, kind: keyof typeof SIGN_IN_FAULTS): void {
  const { status, title, text } = SIGN_IN_FAULTS[kind];
  void reply
    .code(status)
    .headers({
      ...UNSHARED,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
    })
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} · Plexus</title>` +
        '<meta name="viewport" content="width=device-width">' +
        '<style>body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem}</style>' +
        `</head><body><main><h1>${title}</h1><p>${text}</p>` +
        '<p><a href="/v1/sign-in">Sign in again</a> · <a href="/">Back to the page</a></p></main></body></html>',
    );
}
