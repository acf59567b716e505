import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AuditedCall } from '../../core/authorization/audited-call.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { Actor } from '../../core/access/actor.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { WorkspacesService } from '../../workspaces/workspaces.service.js';
import { NewPolicy, PolicyChange, PolicyTrialRequest } from './policy.inputs.js';
import { policyPolicy } from './policy.policy.js';
import { PolicyPage, PolicyTrialView, PolicyView } from './policy.view.js';
import { PoliciesService } from './policies.service.js';
import { PolicyTrialsService } from './policy-trials.service.js';

@ApiTags('workspaces')
@Controller('workspaces/:id/policies')
export class PoliciesController {
  constructor(
    private readonly policies: PoliciesService,
    private readonly trials: PolicyTrialsService,
  ) {}

  @RestOperation('listPolicies', 'List policies', 'Lists the policies of a workspace.')
  @Get()
  @ApiOkResponse({ type: PolicyPage })
  async list(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: ListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.policies.list(actor, id, query), 'policies', PolicyView.fromEntity);
  }

  @RestOperation(
    'createPolicy',
    'Create a policy',
    'Creates a CEL rule that is evaluated for deployments from a workspace.',
  )
  @Post()
  @RequiresRight(policyPolicy.create, WorkspacesService)
  @ApiCreatedResponse({ type: PolicyView })
  async create(@CurrentActor() actor: Actor, @IdParam() id: string, @Body() input: NewPolicy): Promise<PolicyView> {
    return PolicyView.fromEntity(await this.policies.create(actor, id, input));
  }

  @AuditedCall()
  @RestOperation('tryPolicy', 'Try a policy', 'Evaluates an expression for a design and stores nothing.')
  @Post('try')
  @RequiresRight(policyPolicy.try, WorkspacesService)
  @HttpCode(200)
  @ApiOkResponse({ type: PolicyTrialView })
  async try(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: PolicyTrialRequest,
  ): Promise<PolicyTrialView> {
    return PolicyTrialView.fromTrial(await this.trials.try(actor, id, input));
  }

  @RestOperation('getPolicy', 'Read a policy', 'Reads a policy of a workspace.')
  @Get(':policyId')
  @ApiOkResponse({ type: PolicyView })
  async get(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('policyId') policyId: string,
  ): Promise<PolicyView> {
    return PolicyView.fromEntity(await this.policies.getIn(actor, id, policyId));
  }

  @RestOperation('updatePolicy', 'Update a policy', 'Changes the fields that are sent.')
  @Put(':policyId')
  @RequiresRight(policyPolicy.update, WorkspacesService)
  @ApiOkResponse({ type: PolicyView })
  async update(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('policyId') policyId: string,
    @Body() input: PolicyChange,
    @IfMatch() match: Precondition,
  ): Promise<PolicyView> {
    return PolicyView.fromEntity(await this.policies.update(actor, id, policyId, input, match));
  }

  @RestOperation('deletePolicy', 'Delete a policy', 'Deletes a policy; it is no longer evaluated.')
  @Delete(':policyId')
  @RequiresRight(policyPolicy.delete, WorkspacesService)
  @ApiOkResponse({ type: PolicyView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('policyId') policyId: string,
    @IfMatch() match: Precondition,
  ): Promise<PolicyView> {
    return PolicyView.fromEntity(await this.policies.delete(actor, id, policyId, match));
  }
}
