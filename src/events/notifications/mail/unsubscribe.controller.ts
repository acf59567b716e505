import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../core/access/access.decorators.js';
import { IgnoresBody } from '../../../core/rest/body/ignores-body.decorator.js';
import { NoStore } from '../../../core/rest/no-store.decorator.js';
import { isPageRequested, renderPage, rootOf } from '../../../core/rest/pages/page.js';
import { UnsubscribeLinksService } from './unsubscribe-links.service.js';

const TITLE = 'Mail about events';

/** The unsubscribe page. GET shows a form and only POST unsubscribes (RFC 8058), because mail scanners follow links. */
@ApiExcludeController()
@Public()
@NoStore()
@Controller('notifications/unsubscribe/:token')
export class UnsubscribeController {
  constructor(private readonly links: UnsubscribeLinksService) {}

  @Get()
  async ask(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    isPageRequested(request, response);
    await this.links.assertValid(token);
    const body = '<p>Get no more mail about events?</p><form method="post"><button>Unsubscribe</button></form>';
    return renderPage(response, { title: TITLE, body, sendsForm: true });
  }

  @Post()
  @HttpCode(200)
  @IgnoresBody()
  async unsubscribe(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    isPageRequested(request, response);
    await this.links.unsubscribe(token);
    const settings = `<a href="${rootOf(request)}api/notifications/page">Your notifications</a>`;
    const body = `<p role="status">You get no more mail about events.</p><p>${settings} turn it on again.</p>`;
    return renderPage(response, { title: TITLE, body });
  }
}
