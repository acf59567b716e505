import { Controller, Get } from '@nestjs/common';
import { ApiTags, ApiOkResponse } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { SerializedJson } from '../core/rest/serialized-json.js';
import { DesignContentsStore } from './contents/design-contents.store.js';
import { DesignsService } from './designs.service.js';
import { DesignEnrichmentService } from './enrichment/design-enrichment.service.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { DesignValidationView } from './enrichment/design-validation.view.js';

@ApiTags('designs')
@Controller('pattern/:id/validate')
export class DesignValidationController {
  constructor(
    private readonly designs: DesignsService,
    private readonly contents: DesignContentsStore,
    private readonly knowledge: DesignEnrichmentService,
  ) {}

  /** Judges each component as the API server would, by what the registry knows. */

  @RestOperation(
    'validateDesign',
    'Validate a design',
    'Checks each component as the Kubernetes API server would, by the schemas of the registry.',
  )
  @Get()
  @ApiOkResponse({ type: DesignValidationView })
  async validate(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<SerializedJson> {
    return this.knowledge.validate(await this.contents.readPacked(await this.designs.get(actor, id)));
  }
}
