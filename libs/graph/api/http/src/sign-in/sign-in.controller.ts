import { Controller, Delete, Get, HttpCode, Inject, Injectable, Req, Res } from '@nestjs/common';
import {
  ApiExcludeEndpoint,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actingAs } from '#platform/audit';
import {
  actorOfRequest,
  cookieOf,
  isOfPage,
  nameOfSubject,
  type PageSignIn,
  type Permission,
  Public,
  setCookie,
  type SignedIn,
  Unauthorized,
} from '#platform/auth';
import { sendSignInFault, UNSHARED } from './sign-in-page.ts';
import { PageSessionDto } from './sign-in.dto.ts';

const START = 'v1/sign-in';
const CALLBACK = `${START}/callback`;

/** The sign-in of the program's pages. */
@Injectable()
export class ServedSignIn {
  readonly pages: PageSignIn;

  constructor(pages: PageSignIn) {
    this.pages = pages;
  }
}

/** The way to the provider and back, and the session that begins there. */
@ApiTags('service')
@Controller()
export class SignInController {
  readonly #pages: PageSignIn;

  constructor(@Inject(ServedSignIn) { pages }: ServedSignIn) {
    this.#pages = pages;
  }

  @Get(START)
  @Public()
  @ApiExcludeEndpoint()
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { flow, address } = this.#pages;
    if (!address.mayHaveCookies(request)) {
      sendSignInFault(reply, 'plain');
      return;
    }
    const begun = await flow.begin(`${address.originOf(request)}/${CALLBACK}`);
    if (typeof begun === 'string') {
      sendSignInFault(reply, begun);
      return;
    }
    reply.header('Set-Cookie', setCookie('sign-in', begun.pending, address.isTls(request)));
    void reply.headers(UNSHARED).code(303).header('Location', begun.url.href).send();
  }

  @Get(CALLBACK)
  @Public()
  @ApiExcludeEndpoint()
  async finish(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { flow, address } = this.#pages;
    const isTls = address.isTls(request);
    const kept = cookieOf('sign-in', request, address) ?? '';
    // Each way back is for one try.
    const cookies = [setCookie('sign-in', undefined, isTls)];
    reply.header('Set-Cookie', cookies);
    const signedIn = await flow.finish(new URL(request.url, address.originOf(request)), kept);
    if (typeof signedIn === 'string') {
      sendSignInFault(reply, signedIn);
      return;
    }
    const session = await this.#begin(signedIn, request);
    if (session === undefined) {
      sendSignInFault(reply, 'unknown');
      return;
    }
    reply.removeHeader('Set-Cookie');
    reply.header('Set-Cookie', [...cookies, setCookie('session', session, isTls)]);
    void reply.headers(UNSHARED).code(303).header('Location', '/').send();
  }

  /** A browser has one session: what was there before is not carried on. */
  #begin({ subject, groups }: SignedIn, request: FastifyRequest): Promise<string | undefined> {
    const { sessions, address } = this.#pages;
    const former = cookieOf('session', request, address);
    const who = { name: nameOfSubject(subject), permissions: new Set<Permission>(), source: undefined };
    return actingAs(actorOfRequest(request, who), async () => {
      if (former !== undefined) await sessions.end(former);
      return sessions.start(subject, groups);
    });
  }

  @Get('v1/session')
  @Public()
  @ApiOperation({
    operationId: 'getSession',
    summary: 'Who is signed in on this page, and where to sign in. Needs no key.',
    security: [],
  })
  @ApiOkResponse({ type: PageSessionDto })
  async session(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PageSessionDto> {
    void reply.headers(UNSHARED);
    const caller = await this.#pages.cookies.callerOf(request);
    if (caller === undefined) return { sign_in: `/${START}` };
    const { name, permissions, endsMs = 0 } = caller;
    const ends = new Date(endsMs).toISOString();
    return { sign_in: `/${START}`, name, permissions: [...permissions], ends_at: ends };
  }

  @Delete('v1/session')
  @Public()
  @HttpCode(204)
  @ApiOperation({
    operationId: 'endSession',
    summary: 'Signs out the page: ends its session on every node. Needs the header X-Plexus-Page.',
    security: [],
  })
  @ApiNoContentResponse({ description: '' })
  async end(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    if (!isOfPage(request)) throw new Unauthorized();
    const isTls = this.#pages.address.isTls(request);
    const caller = await this.#pages.cookies.callerOf(request);
    const session = cookieOf('session', request, this.#pages.address);
    if (caller !== undefined && session !== undefined)
      await actingAs(actorOfRequest(request, caller), () => this.#pages.sessions.end(session));
    void reply.headers(UNSHARED).header('Set-Cookie', setCookie('session', undefined, isTls));
  }
}
