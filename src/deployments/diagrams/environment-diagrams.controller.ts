import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { Actor } from '../../core/access/actor.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { DIAGRAM_SECURITY_POLICY } from '../../designs/diagram/design-diagrams.controller.js';
import type { DiagramAnswer } from '../../designs/diagram/diagram-answer.js';
import { environmentPolicy } from '../../environments/environment.policy.js';
import { EnvironmentsService } from '../../environments/environments.service.js';
import { EnvironmentDiagramQuery } from './environment-diagram.inputs.js';
import { EnvironmentDiagramsService } from './environment-diagrams.service.js';

@ApiTags('environments')
@Controller('environments')
export class EnvironmentDiagramsController {
  constructor(private readonly diagrams: EnvironmentDiagramsService) {}

  @RestOperation(
    'renderEnvironmentDiagram',
    'Render what runs in an environment',
    'Draws the objects of the clusters of the environment by namespace, coloured by their health, as the watches of the clusters keep them. ' +
      'Where there are many, one card stands for all of a kind in a namespace, with their number and the worst health.',
  )
  @Get(':id/diagram.svg')
  @RequiresRight(environmentPolicy.read, EnvironmentsService)
  @Header('Content-Security-Policy', DIAGRAM_SECURITY_POLICY)
  @ApiProduces('image/svg+xml')
  @ApiOkResponse({ description: 'An SVG document.', schema: { type: 'string' } })
  diagram(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() { theme, namespace }: EnvironmentDiagramQuery,
  ): Promise<DiagramAnswer> {
    return this.diagrams.diagram(actor, id, theme ?? 'auto', namespace || undefined);
  }
}
