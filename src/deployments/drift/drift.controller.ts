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
    'Compare a design with what runs',
    'Compares what is deployed of a design with what runs, by a dry run on each cluster: per object and field, with who changed it.',
  )
  @Get(':id/drift')
  @ApiOkResponse({ type: DriftView })
  get(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: DriftQuery): Promise<DriftView> {
    return this.drift.getDrift(actor, id, query);
  }
}
