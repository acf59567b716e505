import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AuditedCall } from '../../core/authorization/audited-call.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { operationPolicy } from './operation.policy.js';
import { OperationView } from './operation.view.js';
import { OperationsService } from './operations.service.js';

@ApiTags('operations')
@Controller('operations')
export class OperationsController {
  constructor(private readonly operations: OperationsService) {}

  @RestOperation(
    'getOperation',
    'Read an operation',
    'Reads the status, progress and result of a long-running operation.',
  )
  @Get(':id')
  @ApiOkResponse({ type: OperationView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<OperationView> {
    return OperationView.fromEntity(await this.operations.get(actor, id));
  }

  @AuditedCall()
  @RestOperation('cancelOperation', 'Cancel an operation', 'Cancels an operation that is queued or running.')
  @Post(':id/cancel')
  @RequiresRight(operationPolicy.cancel, OperationsService)
  @HttpCode(200)
  @ApiOkResponse({ type: OperationView })
  async cancel(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<OperationView> {
    return OperationView.fromEntity(await this.operations.cancel(actor, id));
  }
}
