import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { RegistryRead } from '../../core/access/registry-read.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { SerializedJson } from '../../core/rest/serialized-json.js';
import { EvaluationInput } from '../registry.inputs.js';
import { RegistryListsService, type RegistryList } from '../registry-lists.service.js';
import { RegistryListQuery } from '../entities/registry-list.query.js';
import { registryPolicy } from '../registry.policy.js';
import { RelationshipEvaluationService } from './relationship-evaluation.service.js';
import { RelationshipPage } from './relationship.view.js';

/** Lists take `pagesize=all`, which is streamed. */
@ApiTags('registry: relationships')
@ApiBearerAuth()
@Controller(['api/meshmodels', 'api/registry'])
export class RelationshipsController {
  constructor(
    private readonly answers: RegistryListsService,
    private readonly evaluation: RelationshipEvaluationService,
  ) {}

  @Get('relationships')
  @RegistryRead()
  @ApiOkResponse({ type: RelationshipPage })
  list(@Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.relationships(query, {});
  }

  @Get('models/:model/relationships')
  @RegistryRead()
  @ApiOkResponse({ type: RelationshipPage })
  ofModel(@Param('model') model: string, @Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.relationships(query, { model });
  }

  /** Finds the relationships of a design; each carries its reason. Nothing is kept. */
  @Post('relationships/evaluate')
  @RequiresRight(registryPolicy.validate)
  @HttpCode(200)
  @RegistryRead()
  evaluate(@Body() input: EvaluationInput): Promise<SerializedJson> {
    return this.evaluation.evaluate(input);
  }
}
