import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { Id } from '../../core/rest/id.js';
import { Requires } from '../../core/rest/rights/requires.js';
import { operationPolicy } from './operation.policy.js';
import { OperationView } from './operation.view.js';
import { OperationsService } from './operations.service.js';

@ApiTags('operations')
@ApiBearerAuth()
@Controller('api/operations')
export class OperationsController {
  constructor(private readonly operations: OperationsService) {}

  @Get(':id')
  @ApiOkResponse({ type: OperationView })
  async get(@Caller() actor: Actor, @Id() id: string): Promise<OperationView> {
    return OperationView.of(await this.operations.get(actor, id));
  }

  @Post(':id/cancel')
  @Requires(operationPolicy.cancel, OperationsService)
  @HttpCode(200)
  @ApiOkResponse({ type: OperationView })
  async cancel(@Caller() actor: Actor, @Id() id: string): Promise<OperationView> {
    return OperationView.of(await this.operations.cancel(actor, id));
  }
}
