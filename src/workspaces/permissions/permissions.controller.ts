import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { PermissionsService } from './permissions.service.js';
import { PermissionsView } from './permissions.view.js';

@ApiTags('workspaces')
@Controller('workspaces/:id/permissions')
export class PermissionsController {
  constructor(private readonly permissions: PermissionsService) {}

  @RestOperation(
    'getWorkspacePermissions',
    'Read own permissions in a workspace',
    'Lists what the caller may do in a workspace, and for each refusal the reason and who could grant it.',
  )
  @Get()
  @ApiOkResponse({ type: PermissionsView })
  of(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<PermissionsView> {
    return this.permissions.get(actor, id);
  }
}
