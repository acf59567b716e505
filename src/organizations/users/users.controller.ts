import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type Envelope, envelope } from '../../core/listing/page.js';
import { Id } from '../../core/rest/id.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { Requires } from '../../core/rest/rights/requires.js';
import { AccountPage, AccountView } from './account.view.js';
import { AccountChange } from './profile.inputs.js';
import { userPolicy } from './user.policy.js';
import { UsersService } from './users.service.js';

@ApiTags('users')
@ApiBearerAuth()
@Controller('api/identity/users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @ApiOkResponse({ type: AccountPage })
  async list(@Caller() actor: Actor, @Query() query: ListQuery): Promise<Envelope> {
    return envelope(await this.users.list(actor, query), 'users', AccountView.of);
  }

  @Get(':id')
  @ApiOkResponse({ type: AccountView })
  async get(@Caller() actor: Actor, @Id() id: string): Promise<AccountView> {
    return AccountView.of(await this.users.get(actor, id));
  }

  @Put(':id')
  @Requires(userPolicy.administer)
  @ApiOkResponse({ type: AccountView })
  async update(
    @Caller() actor: Actor,
    @Id() id: string,
    @Body() input: AccountChange,
    @IfMatch() match: Precondition,
  ): Promise<AccountView> {
    return AccountView.of(await this.users.update(actor, id, input, match));
  }
}
