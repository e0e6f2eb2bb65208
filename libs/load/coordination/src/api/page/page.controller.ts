import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '#platform/auth';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';
import { PAGE } from './page.ts';

/** A report that is shown from memory has the policy of the page that opened it: its styles stand in it. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; object-src 'none'; " +
  "base-uri 'none'; frame-ancestors 'none'";

/** The live page. It holds no data: what it shows it asks for with the key from its box. */
@ApiExcludeController()
@Controller()
export class PageController {
  @Get()
  @Public('docs')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', PAGE_POLICY)
  page(): string {
    return PAGE;
  }

  @Get('page.js')
  @Public('docs')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  script(): string {
    return PAGE_SCRIPT;
  }

  @Get('page.css')
  @Public('docs')
  @Header('Content-Type', 'text/css; charset=utf-8')
  style(): string {
    return PAGE_STYLE;
  }
}
