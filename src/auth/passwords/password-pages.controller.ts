import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../core/access/access.decorators.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import {
  FORMS,
  isPageRequested,
  renderForm,
  renderNewPassword,
  renderOpen,
  renderPage,
  rootOf,
} from '../../core/rest/pages/page.js';
import { getRequestPath } from '../../core/telemetry/request-context.js';
import { PasswordResetsService } from './password-resets.service.js';

/** The pages that the links of mails about passwords open. They change nothing until their form is sent. */
@ApiTags('auth')
@ApiProduces('text/html')
@Public()
@NoStore()
@Controller('auth')
export class PasswordPagesController {
  constructor(private readonly resets: PasswordResetsService) {}

  @RestOperation(
    'openPasswordReset',
    'Open the page for a new password',
    'The page that the email for a forgotten password links to. Its form calls the operation that resets the password.',
    { errors: [410] },
  )
  @Get('password/reset/:token')
  @ApiOkResponse({ description: 'The page.', schema: { type: 'string' } })
  async reset(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    isPageRequested(request, response);
    const { email } = await this.resets.getUser(token);
    const root = rootOf(request);
    const post = `${root}api/auth/password/reset`;
    const data = { root, post, done: 'Your password is changed, and all sessions have ended.' };
    const hidden = `<input type="hidden" name="token" value="${encodeURIComponent(token)}">`;
    const form = renderForm(data, hidden + renderNewPassword(email), 'Change the password');
    return renderPage(response, { title: 'Choose a new password', script: FORMS, body: renderOpen(form) });
  }

  @RestOperation(
    'openConfirmation',
    'Open the page that confirms an account',
    'The page that the email to the owner of a new account links to. Its form calls the operation that confirms it.',
    { errors: [410] },
  )
  @Get('invitations/:token/confirm')
  @ApiOkResponse({ description: 'The page.', schema: { type: 'string' } })
  async confirm(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    isPageRequested(request, response);
    const { email } = await this.resets.getUser(token);
    const root = rootOf(request);
    const post = root + getRequestPath(request).slice(1);
    const form = renderForm(
      { root, post, done: 'Your account is confirmed.' },
      `<p>Another user made this account and chose its password. Choose your own.</p>${renderNewPassword(email)}`,
      'Confirm the account',
    );
    return renderPage(response, { title: 'Confirm your account', script: FORMS, body: renderOpen(form) });
  }
}
