import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { answer, CONTENT_TYPE } from '../answer/answer.ts';
import { sendAnswer } from '../server/send-answer.ts';
import { PAGE, PAGE_POLICY } from './page.ts';

/** The page that shows the proxy at work. */
@Controller('admin')
export class PageController {
  @Get('ui')
  page(@Res() reply: FastifyReply): void {
    const page = answer(200, CONTENT_TYPE.html, PAGE);
    sendAnswer(reply, { ...page, headers: { ...page.headers, 'Content-Security-Policy': PAGE_POLICY } });
  }
}
