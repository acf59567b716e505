import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { AccountPage, AccountView } from './account.view.js';
import { AccountChange } from './account.inputs.js';
import { userPolicy } from './user.policy.js';
import { UsersService } from './users.service.js';

@ApiTags('users')
@Controller('identity/users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @RestOperation('listUsers', 'List users', 'Lists the users of the installation; installation administrators only.', {
    errors: [403],
  })
  @Get()
  @ApiOkResponse({ type: AccountPage })
  async list(@CurrentActor() actor: Actor, @Query() query: ListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.users.list(actor, query), 'users', AccountView.fromEntity);
  }

  @RestOperation('getUser', 'Read a user', 'Reads a user of the installation; installation administrators only.', {
    errors: [403],
  })
  @Get(':id')
  @ApiOkResponse({ type: AccountView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<AccountView> {
    return AccountView.fromEntity(await this.users.get(actor, id));
  }

  @RestOperation(
    'updateUser',
    'Update a user',
    'Names installation administrators, and deactivates or reactivates accounts.',
  )
  @Put(':id')
  @RequiresRight(userPolicy.administer)
  @ApiOkResponse({ type: AccountView })
  async update(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: AccountChange,
    @IfMatch() match: Precondition,
  ): Promise<AccountView> {
    return AccountView.fromEntity(await this.users.update(actor, id, input, match));
  }
}
