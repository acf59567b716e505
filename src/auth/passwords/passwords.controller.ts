import { Body, Controller, HttpCode, Ip, Param, Post, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor, Public } from '../../core/access/access.decorators.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { userPolicy } from '../../organizations/users/user.policy.js';
import { PasswordResetsService } from './password-resets.service.js';
import { Confirmation, ForgottenPassword, PasswordChange, PasswordReset } from './password.inputs.js';
import { PasswordChangesService } from './password-changes.service.js';

@ApiTags('auth')
@NoStore()
@Controller('api')
export class PasswordsController {
  constructor(
    private readonly changes: PasswordChangesService,
    private readonly forgotten: PasswordResetsService,
  ) {}

  @ApiBearerAuth()
  @Put('identity/users/password')
  @RequiresRight(userPolicy.changePassword)
  @ApiOkResponse({ description: 'It is changed; other sessions of the user have ended.' })
  async change(@CurrentActor() actor: Actor, @Body() input: PasswordChange, @Ip() address: string): Promise<object> {
    await this.changes.change(actor, input, address);
    return {};
  }

  @Public()
  @Post('auth/password/forgot')
  @HttpCode(200)
  @ApiOkResponse({ description: 'The same whether or not there is such an account.' })
  async forgot(@Body() input: ForgottenPassword, @Ip() address: string): Promise<object> {
    await this.forgotten.requestReset(input, address);
    return {};
  }

  @Public()
  @Post('auth/password/reset')
  @HttpCode(200)
  @ApiOkResponse({ description: 'It is changed; every session of the user has ended.' })
  async reset(@Body() input: PasswordReset): Promise<object> {
    await this.forgotten.reset(input);
    return {};
  }

  @Public()
  @Post('auth/invitations/:token/confirm')
  @HttpCode(200)
  @ApiOkResponse({ description: 'The account is confirmed; what was signed in with the password of before has ended.' })
  async confirm(@Param('token') token: string, @Body() { password }: Confirmation): Promise<object> {
    await this.forgotten.reset({ token, password });
    return {};
  }
}
