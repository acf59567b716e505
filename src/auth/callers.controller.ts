import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { CurrentActor } from '../core/access/access.decorators.js';
import type { Actor } from '../core/access/actor.js';
import { NoStore } from '../core/rest/no-store.decorator.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { ProfilesService } from '../organizations/profiles/profiles.service.js';
import { CallerTokenView, CallerView, PROVIDER } from './caller.view.js';
import { readBearerToken } from './token.authenticator.js';

/** What command lines made for other systems with this interface ask about their caller. */
@ApiTags('auth')
@Controller()
export class CallersController {
  constructor(private readonly profiles: ProfilesService) {}

  @RestOperation(
    'getCaller',
    'Read who calls',
    'The profile of the caller, as command lines made for other systems with this interface read it.',
  )
  @Get('user')
  @ApiOkResponse({ type: CallerView })
  async get(@CurrentActor() actor: Actor): Promise<CallerView> {
    return CallerView.fromProfile(await this.profiles.get(actor));
  }

  @RestOperation(
    'getCallerToken',
    'Read the token of the call',
    'The token that the call was made with, in the form of the file in which command lines made for other systems with this interface keep it. It is never a new one.',
  )
  @NoStore()
  @Get('token')
  @ApiOkResponse({ type: CallerTokenView })
  getToken(@Req() request: Request): CallerTokenView {
    return { token: readBearerToken(request) ?? '', 'meshery-provider': PROVIDER };
  }

  @RestOperation('getUserToken', 'Read the token of the user', 'The same as the token of the call.')
  @NoStore()
  @Get('user/token')
  @ApiOkResponse({ type: CallerTokenView })
  getUserToken(@Req() request: Request): CallerTokenView {
    return this.getToken(request);
  }
}
