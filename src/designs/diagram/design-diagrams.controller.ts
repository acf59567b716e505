import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { DesignDiagramsService } from './design-diagrams.service.js';
import { DiagramQuery } from './diagram.inputs.js';
import type { DiagramAnswer } from './diagram-answer.js';

/** A picture that is opened by itself runs nothing and fetches nothing. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

@ApiTags('designs')
@ApiBearerAuth()
@Controller('api/pattern')
export class DesignDiagramsController {
  constructor(private readonly diagrams: DesignDiagramsService) {}

  /** The design as a picture: its components by namespace or by service, and how they are related. Of a very large design it is a summary. */
  @Get(':id/diagram.svg')
  @Header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
  @ApiProduces('image/svg+xml')
  @ApiOkResponse({ description: 'An SVG document.', schema: { type: 'string' } })
  diagram(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() { theme }: DiagramQuery,
  ): Promise<DiagramAnswer> {
    return this.diagrams.diagram(actor, id, theme);
  }
}
