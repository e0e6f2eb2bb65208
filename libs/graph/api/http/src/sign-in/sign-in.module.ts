import { type DynamicModule, Module } from '@nestjs/common';
import type { SingleSignOn } from '#platform/auth';
import { ResourceController, TokenIssuer } from './resource.controller.ts';
import { ServedSignIn, SignInController } from './sign-in.controller.ts';

/** The routes of single sign-on: those of pages only where pages sign in. */
@Module({})
export class SignInModule {
  static forRoot(signOn: SingleSignOn): DynamicModule {
    const { pages } = signOn;
    return {
      module: SignInModule,
      controllers: [ResourceController, ...(pages === undefined ? [] : [SignInController])],
      providers: [
        { provide: TokenIssuer, useValue: new TokenIssuer(signOn) },
        ...(pages === undefined ? [] : [{ provide: ServedSignIn, useValue: new ServedSignIn(pages) }]),
      ],
    };
  }
}
