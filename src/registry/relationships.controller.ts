import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AuditedCall } from '../core/authorization/audited-call.js';
import { RegistryRead } from '../core/access/registry-read.decorator.js';
import { RequiresRight } from '../core/rest/rights/rights.decorators.js';
import { SerializedJson } from '../core/rest/serialized-json.js';
import { EvaluationInput } from './entities/registry.inputs.js';
import { RegistryListsService, type RegistryList } from './registry-lists.service.js';
import { RegistryListQuery } from './entities/registry-list.query.js';
import { registryPolicy } from './entities/registry.policy.js';
import { RelationshipEvaluationService } from './relationships/relationship-evaluation.service.js';
import { RelationshipPage } from './relationships/relationship.view.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { EvaluationView } from './relationships/evaluation.view.js';

/** Lists accept `pagesize=all`, which is streamed. */
@ApiTags('registry: relationships')
@Controller(['meshmodels', 'registry'])
export class RelationshipsController {
  constructor(
    private readonly answers: RegistryListsService,
    private readonly evaluation: RelationshipEvaluationService,
  ) {}

  @RestOperation('listRelationships', 'List relationships', 'Lists the definitions of relationships.')
  @Get('relationships')
  @RegistryRead()
  @ApiOkResponse({ type: RelationshipPage })
  list(@Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.relationships(query, {});
  }

  @RestOperation(
    'listModelRelationships',
    'List relationships of a model',
    'Lists the definitions of relationships that a model has.',
  )
  @Get('models/:model/relationships')
  @RegistryRead()
  @ApiOkResponse({ type: RelationshipPage })
  ofModel(@Param('model') model: string, @Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.relationships(query, { model });
  }

  /** Finds the relationships of a design, each with its reason. Nothing is stored. */
  @AuditedCall()
  @RestOperation(
    'evaluateRelationships',
    'Evaluate relationships',
    'Finds the relationships between the components of a design; each with its reason. Nothing is stored.',
  )
  @Post('relationships/evaluate')
  @RequiresRight(registryPolicy.validate)
  @HttpCode(200)
  @RegistryRead()
  @ApiOkResponse({ type: EvaluationView })
  evaluate(@Body() input: EvaluationInput): Promise<SerializedJson> {
    return this.evaluation.evaluate(input);
  }
}
