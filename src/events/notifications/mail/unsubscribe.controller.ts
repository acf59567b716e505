import { Controller, Get, Header, HttpCode, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../../../core/access/access.decorators.js';
import { IgnoresBody } from '../../../core/rest/body/ignores-body.decorator.js';
import { NoStore } from '../../../core/rest/no-store.decorator.js';
import { UnsubscribeLinksService } from './unsubscribe-links.service.js';

const HTML = 'text/html; charset=utf-8';

/** The unsubscribe page. GET shows a form and only POST unsubscribes (RFC 8058), because mail scanners follow links. */
@ApiExcludeController()
@Public()
@NoStore()
@Controller('notifications/unsubscribe/:token')
export class UnsubscribeController {
  constructor(private readonly links: UnsubscribeLinksService) {}

  @Get()
  @Header('Content-Type', HTML)
  async ask(@Param('token') token: string): Promise<string> {
    await this.links.assertValid(token);
    return renderPage('<p>Get no more mail about events?</p><form method="post"><button>Unsubscribe</button></form>');
  }

  @Post()
  @HttpCode(200)
  @IgnoresBody()
  @Header('Content-Type', HTML)
  async unsubscribe(@Param('token') token: string): Promise<string> {
    await this.links.unsubscribe(token);
    return renderPage(
      '<p>You get no more mail about events. <code>PUT /api/identity/users/notifications</code> turns it on again.</p>',
    );
  }
}

const renderPage = (body: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer"><title>Notifications</title>
<h1>Notifications</h1>
${body}
</html>
`;
