import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Public } from '../../core/access/public.js';
import { AnswersSecret } from '../../core/rest/answers-secret.js';
import { AccountView } from '../users/account.view.js';
import { AcceptancesService } from './acceptances.service.js';
import { Acceptance } from './invitation.inputs.js';
import { InvitationView } from './invitation.view.js';

@ApiTags('auth')
@Public()
@AnswersSecret()
@Controller('api/auth/invitations/:token')
export class AcceptancesController {
  constructor(private readonly acceptances: AcceptancesService) {}

  @Get()
  @ApiOkResponse({ type: InvitationView })
  async read(@Param('token') token: string): Promise<InvitationView> {
    return InvitationView.of(await this.acceptances.read(token));
  }

  @Post()
  @ApiCreatedResponse({ type: AccountView })
  async accept(@Param('token') token: string, @Body() input: Acceptance): Promise<AccountView> {
    return AccountView.of(await this.acceptances.accept(token, input));
  }
}
