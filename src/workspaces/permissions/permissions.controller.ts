import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { Id } from '../../core/rest/id.js';
import { PermissionsService } from './permissions.service.js';
import { PermissionsView } from './permissions.view.js';

@ApiTags('workspaces')
@ApiBearerAuth()
@Controller('api/workspaces/:id/permissions')
export class PermissionsController {
  constructor(private readonly permissions: PermissionsService) {}

  @Get()
  @ApiOkResponse({ type: PermissionsView })
  of(@Caller() actor: Actor, @Id() id: string): Promise<PermissionsView> {
    return this.permissions.of(actor, id);
  }
}
