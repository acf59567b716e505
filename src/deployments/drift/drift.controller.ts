import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { Actor } from '../../core/access/actor.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { DriftQuery } from './drift.inputs.js';
import { DriftService } from './drift.service.js';
import { DriftView } from './drift.view.js';

@ApiTags('deployments')
@Controller('pattern')
export class DriftController {
  constructor(private readonly drift: DriftService) {}

  @RestOperation(
    'getDesignDrift',
    'Detect drift of a design',
    'Compares the deployed version of a design with the objects on its clusters by a dry run: per object and field, with the manager that changed it.',
  )
  @Get(':id/drift')
  @ApiOkResponse({ type: DriftView })
  get(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: DriftQuery): Promise<DriftView> {
    return this.drift.getDrift(actor, id, query);
  }
}
