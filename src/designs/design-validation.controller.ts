import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags, ApiOkResponse } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { SerializedJson } from '../core/rest/serialized-json.js';
import { DesignContentsStore } from './contents/design-contents.store.js';
import { DesignPoliciesRegistry } from './design-policies.registry.js';
import { ValidationQuery } from './design.inputs.js';
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
    private readonly policies: DesignPoliciesRegistry,
  ) {}

  @RestOperation(
    'validateDesign',
    'Validate a design',
    'Checks each component as the Kubernetes API server would, by the schemas of the registry, and by the policies of the workspace.',
  )
  @Get()
  @ApiOkResponse({ type: DesignValidationView })
  async validate(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: ValidationQuery,
  ): Promise<SerializedJson> {
    const design = await this.designs.get(actor, id);
    const policies = await this.policies.evaluate(actor, design, query.environment_id);
    return this.knowledge.validate({ content: await this.contents.readPacked(design), policies });
  }
}
