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
  reset(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.open(token, request, response, {
      title: 'Choose a new password',
      post: 'api/auth/password/reset',
      before: `<input type="hidden" name="token" value="${encodeURIComponent(token)}">`,
      button: 'Change the password',
      done: 'Your password is changed, and all sessions have ended.',
    });
  }

  @RestOperation(
    'openConfirmation',
    'Open the page that confirms an account',
    'The page that the email to the owner of a new account links to. Its form calls the operation that confirms it.',
    { errors: [410] },
  )
  @Get('invitations/:token/confirm')
  @ApiOkResponse({ description: 'The page.', schema: { type: 'string' } })
  confirm(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.open(token, request, response, {
      title: 'Confirm your account',
      post: getRequestPath(request).slice(1),
      before: '<p>Another user made this account and chose its password. Choose your own.</p>',
      button: 'Confirm the account',
      done: 'Your account is confirmed.',
    });
  }

  /** The page of a token, which it has to be valid for. */
  private async open(token: string, request: Request, response: Response, form: PasswordForm): Promise<string> {
    isPageRequested(request, response);
    const { email } = await this.resets.getUser(token);
    const { title, post, before, button, done } = form;
    const root = rootOf(request);
    const fields = before + renderNewPassword(email);
    const body = renderOpen(renderForm({ root, post: root + post, done }, fields, button));
    return renderPage(response, { title, script: FORMS, body });
  }
}

/** The form in which the owner of an address chooses a password. */
interface PasswordForm {
  title: string;
  /** The path of the operation that it calls, without the first slash. */
  post: string;
  /** HTML before its fields. */
  before: string;
  button: string;
  /** What is said once it was sent. */
  done: string;
}
