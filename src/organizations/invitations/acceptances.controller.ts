import { Body, Controller, Get, Headers, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Authenticator } from '../../core/access/authenticator.js';
import { Public } from '../../core/access/access.decorators.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { AcceptancesService } from './acceptances.service.js';
import { AcceptedView } from './accepted.view.js';
import { Acceptance, AcceptanceQuery } from './invitation.inputs.js';
import { InvitationView } from './invitation.view.js';

@ApiTags('auth')
@Public()
@NoStore()
@Controller('api/auth/invitations/:token')
export class AcceptancesController {
  constructor(
    private readonly acceptances: AcceptancesService,
    private readonly authenticator: Authenticator,
  ) {}

  @Get()
  @ApiOkResponse({ type: InvitationView })
  async read(@Param('token') token: string): Promise<InvitationView> {
    return InvitationView.fromEntity(await this.acceptances.getByToken(token));
  }

  @ApiBearerAuth()
  @Post()
  @ApiOkResponse({ type: AcceptedView, description: 'The account of the bearer token has joined.' })
  @ApiCreatedResponse({ type: AcceptedView, description: 'Without a token: an account was made, and has joined.' })
  async accept(
    @Param('token') token: string,
    @Query() { proof }: AcceptanceQuery,
    @Body() input: Acceptance,
    @Headers('authorization') authorization: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AcceptedView> {
    if (authorization === undefined)
      return AcceptedView.fromAccepted(await this.acceptances.accept(token, proof, input), 'new');
    const actor = await this.authenticator.authenticate(authorization);
    response.status(200);
    return AcceptedView.fromAccepted(await this.acceptances.acceptAs(actor, token), 'existing');
  }
}
