import { Body, Controller, HttpCode, Ip, Param, Post, Put } from '@nestjs/common';
import { ApiTags, ApiBearerAuth } from '@nestjs/swagger';
import { AuditedCall } from '../../core/authorization/audited-call.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor, Public } from '../../core/access/access.decorators.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { userPolicy } from '../../organizations/users/user.policy.js';
import { PasswordEmailsService } from './password-emails.service.js';
import { PasswordResetsService } from './password-resets.service.js';
import { Confirmation, ForgottenPassword, PasswordChange, PasswordReset } from './password.inputs.js';
import { PasswordChangesService } from './password-changes.service.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { ApiEmptyResponse } from '../../core/rest/openapi/schemas.js';

@ApiTags('auth')
@NoStore()
@Controller()
export class PasswordsController {
  constructor(
    private readonly changes: PasswordChangesService,
    private readonly resets: PasswordResetsService,
    private readonly emails: PasswordEmailsService,
  ) {}

  @RestOperation(
    'changePassword',
    'Change the password',
    'Sets a new password for the caller, who gives the current one. Other sessions of the user end.',
  )
  @ApiBearerAuth()
  @Put('identity/users/password')
  @RequiresRight(userPolicy.changePassword)
  @ApiEmptyResponse('The password is changed; other sessions of the user have ended.')
  async change(@CurrentActor() actor: Actor, @Body() input: PasswordChange, @Ip() address: string): Promise<object> {
    await this.changes.change(actor, input, address);
    return {};
  }

  @AuditedCall()
  @RestOperation(
    'requestPasswordReset',
    'Request a password reset',
    'Mails a link for a new password. The response is the same whether or not the account exists.',
  )
  @Public()
  @Post('auth/password/forgot')
  @HttpCode(200)
  @ApiEmptyResponse('The same whether or not there is such an account.')
  async forgot(@Body() input: ForgottenPassword, @Ip() address: string): Promise<object> {
    await this.emails.requestReset(input, address);
    return {};
  }

  @RestOperation(
    'resetPassword',
    'Reset the password',
    'Sets a new password with the token of a reset link. Every session of the user ends.',
    { errors: [410] },
  )
  @Public()
  @Post('auth/password/reset')
  @HttpCode(200)
  @ApiEmptyResponse('The password is changed; every session of the user has ended.')
  async reset(@Body() input: PasswordReset): Promise<object> {
    await this.resets.reset(input);
    return {};
  }

  @RestOperation(
    'confirmAccount',
    'Confirm an account',
    'Confirms an account whose password another user chose: the owner of the address sets a new one.',
    { errors: [410] },
  )
  @Public()
  @Post('auth/invitations/:token/confirm')
  @HttpCode(200)
  @ApiEmptyResponse('The account is confirmed; sessions that began with the previous password have ended.')
  async confirm(@Param('token') token: string, @Body() { password }: Confirmation): Promise<object> {
    await this.resets.reset({ token, password });
    return {};
  }
}
