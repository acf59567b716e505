import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../core/access/access.decorators.js';
import { NoStore } from '../../../core/rest/no-store.decorator.js';
import { PageScript, renderField, renderForm, renderPage, rootOf } from '../../../core/rest/pages/page.js';

const SCRIPT = PageScript.read('./notifications.js', import.meta.url);

/** The page of one's notifications and of the mail about them. It signs in, and keeps the token in memory only. */
@ApiExcludeController()
@Public()
@NoStore()
@Controller('notifications/page')
export class NotificationsPageController {
  @Get()
  show(@Req() request: Request, @Res({ passthrough: true }) response: Response): string {
    const fields = [
      renderField('E-mail address', { name: 'email', type: 'email', autocomplete: 'username', required: '' }),
      renderField('Password', { name: 'password', type: 'password', autocomplete: 'current-password', required: '' }),
    ];
    const body = `${renderForm({ root: rootOf(request) }, fields.join(''), 'Sign in')}
<div id="signed-in" hidden>
<button type="button" id="sign-out">Sign out</button>
<p id="count" role="status"></p>
<button type="button" id="read">Mark all as read</button>
<ul id="list"></ul>
<button type="button" id="more">Show more</button>
<section id="settings" aria-labelledby="settings-title">
<h2 id="settings-title">Mail</h2>
<p id="no-mail" hidden>This server sends no mail.</p>
<div id="categories"></div>
<p id="saved" role="status"></p>
</section>
</div>`;
    return renderPage(response, { title: 'Notifications', body, script: SCRIPT });
  }
}
