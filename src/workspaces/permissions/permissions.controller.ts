import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { PermissionsService } from './permissions.service.js';
import { PermissionsView } from './permissions.view.js';

@ApiTags('workspaces')
@ApiBearerAuth()
@Controller('api/workspaces/:id/permissions')
export class PermissionsController {
  constructor(private readonly permissions: PermissionsService) {}

  @Get()
  @ApiOkResponse({ type: PermissionsView })
  of(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<PermissionsView> {
    return this.permissions.get(actor, id);
  }
}
