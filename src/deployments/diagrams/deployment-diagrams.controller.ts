import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { DIAGRAM_SECURITY_POLICY } from '../../designs/diagram/design-diagrams.controller.js';
import type { DiagramAnswer } from '../../designs/diagram/diagram-answer.js';
import { DeploymentDiagramQuery } from './deployment-diagram.inputs.js';
import { DeploymentDiagramsService } from './deployment-diagrams.service.js';

@ApiTags('deployments')
@Controller('deployments')
export class DeploymentDiagramsController {
  constructor(private readonly diagrams: DeploymentDiagramsService) {}

  @RestOperation(
    'renderDeploymentDiagram',
    'Render a deployment as a diagram',
    'Draws the version of the design that is deployed, coloured by the health of its objects, or by what the deployment does or is planned to ' +
      'do with them. Each card has its word in data-status.',
  )
  @Get(':id/diagram.svg')
  @Header('Content-Security-Policy', DIAGRAM_SECURITY_POLICY)
  @ApiProduces('image/svg+xml')
  @ApiOkResponse({ description: 'An SVG document.', schema: { type: 'string' } })
  diagram(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: DeploymentDiagramQuery,
  ): Promise<DiagramAnswer> {
    return this.diagrams.diagram(actor, id, query.toOptions());
  }
}
