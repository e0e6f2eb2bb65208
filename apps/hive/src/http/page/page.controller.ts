import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '#auth';
import { PAGE } from './page.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';

/** The live page. It holds no data: what it shows it asks for with the key from its box. */
@ApiExcludeController()
@Controller()
export class PageController {
  @Get()
  @Public('docs')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', "default-src 'self'; img-src 'self' data:")
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
