import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { clientNetwork } from '../../core/rest/client-network.js';
import { Authenticator } from '../../core/access/authenticator.js';
import { Public } from '../../core/access/access.decorators.js';
import { isPageRequested, renderPage } from '../../core/rest/pages/page.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { AcceptancesService } from './acceptances.service.js';
import { AcceptedView } from './accepted.view.js';
import { Acceptance, AcceptanceQuery } from './invitation.inputs.js';
import { invitationPage } from './invitation.page.js';
import { InvitationView } from './invitation.view.js';

@ApiTags('auth')
@Public()
@NoStore()
@Controller('auth/invitations/:token')
export class AcceptancesController {
  constructor(
    private readonly acceptances: AcceptancesService,
    private readonly authenticator: Authenticator,
  ) {}

  @RestOperation('getInvitation', 'Read an invitation', 'Reads the invitation of a token.', {
    errors: [410],
  })
  @Get()
  @ApiExtraModels(InvitationView)
  @ApiOkResponse({
    description: 'The invitation; for a browser, a page that accepts it.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(InvitationView) } },
      'text/html': { schema: { type: 'string' } },
    },
  })
  async read(
    @Param('token') token: string,
    @Query() { proof }: AcceptanceQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<InvitationView | string> {
    const isPage = isPageRequested(request, response);
    const invitation = await this.acceptances.getByToken(token);
    if (!isPage) return InvitationView.fromEntity(invitation);
    const organization = await this.acceptances.getOrganizationName(invitation);
    return renderPage(response, invitationPage(request, invitation, organization, proof));
  }

  @RestOperation(
    'acceptInvitation',
    'Accept an invitation',
    'Creates an account with a password or, with a bearer token, adds the account of the caller.',
    { bearer: 'optional', errors: [403, 409, 410], location: '../../identity/users/profile' },
  )
  @ApiBearerAuth()
  @Post()
  @ApiOkResponse({ type: AcceptedView, description: 'The account of the bearer token has joined.' })
  @ApiCreatedResponse({ type: AcceptedView, description: 'Without a token: an account was made, and has joined.' })
  async accept(
    @Param('token') token: string,
    @Query() { proof }: AcceptanceQuery,
    @Body() input: Acceptance,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AcceptedView> {
    if (request.headers.authorization === undefined)
      return AcceptedView.fromAccepted(await this.acceptances.accept(token, proof, input), 'new');
    const actor = await this.authenticator.authenticate(request, () => clientNetwork(request.ip));
    response.status(200);
    return AcceptedView.fromAccepted(await this.acceptances.acceptAs(actor, token), 'existing');
  }
}
