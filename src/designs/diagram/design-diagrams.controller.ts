import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { DesignDiagramsService } from './design-diagrams.service.js';
import { DiagramQuery } from './diagram.inputs.js';
import type { DiagramAnswer } from './diagram-answer.js';

/** An SVG document opened on its own runs no scripts and fetches nothing. */
export const DIAGRAM_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

@ApiTags('designs')
@Controller('pattern')
export class DesignDiagramsController {
  constructor(private readonly diagrams: DesignDiagramsService) {}

  @RestOperation(
    'renderDesignDiagram',
    'Render a design as a diagram',
    'Draws the components by namespace or by service, and their relationships. Equal components become one card with a number, relationships with hubs become badges where the picture is dense, and a very large design is summarized. Each card has the ids of its components in data-components; the fragment #component-<id> marks one.',
  )
  @Get(':id/diagram.svg')
  @Header('Content-Security-Policy', DIAGRAM_SECURITY_POLICY)
  @ApiProduces('image/svg+xml')
  @ApiOkResponse({ description: 'An SVG document.', schema: { type: 'string' } })
  diagram(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: DiagramQuery): Promise<DiagramAnswer> {
    return this.diagrams.diagram(actor, id, query.toOptions());
  }
}
