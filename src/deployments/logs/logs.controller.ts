import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { AuditedCall } from '../../core/authorization/audited-call.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { DeploymentsService } from '../deployments.service.js';
import { LogQuery } from './log.inputs.js';
import { LogsService } from './logs.service.js';

/** What the containers of a deployment write. */
@ApiTags('deployments')
@Controller('deployments/:id/logs')
export class LogsController {
  constructor(private readonly logs: LogsService) {}

  @AuditedCall()
  @RestOperation(
    'getDeploymentLogs',
    'Read logs',
    'Reads what containers of a deployment have written, as text of at most 1 MB; where it is cut, or a container cannot be read, a line that ' +
      'begins with `#` says so. Values of the Secrets of the design are hidden, which is a convenience and no barrier. With `follow=true` the ' +
      'lines come as server-sent events `log {pod, container, at, line}`, and `end {reason}` at last. It takes an editor of the workspace, or a ' +
      'viewer where the environment has `logs: viewer`.',
    { errors: [429, 502, 504] },
  )
  @Get()
  @RequiresRight(deploymentPolicy.logs, DeploymentsService)
  @ApiProduces('text/plain', 'text/event-stream')
  @ApiOkResponse({ description: 'The lines, or events with lines.', schema: { type: 'string' } })
  async read(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: LogQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (query.follow === 'true') return this.logs.follow(actor, id, query, request, response);
    const text = await this.logs.read(actor, id, query);
    response.type('text/plain').send(text);
  }
}
