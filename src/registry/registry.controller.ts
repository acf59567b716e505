import { Body, Controller, Get, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiTags, ApiExtraModels, ApiParam } from '@nestjs/swagger';
import { AuditedCall } from '../core/authorization/audited-call.js';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { RegistryRead } from '../core/access/registry-read.decorator.js';
import { ShortListQuery } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { paginateItems } from '../core/listing/paginate-items.js';
import { contentDisposition } from '../core/rest/download.js';
import { RequiresRight } from '../core/rest/rights/rights.decorators.js';
import { parseStatus } from './entities/entry-status.js';
import { RegistrantPage, RegistrantView } from './registrants/registrant.view.js';
import { RegistrantsStore } from './registrants/registrants.store.js';
import { RegistryExportService } from './registry-export.service.js';
import { RegistryPresenter } from './registry.presenter.js';
import { RegistrySummaryStore, type RegistrySummary } from './registry-summary.store.js';
import { parseEntityType, ENTITY_TYPE_SEGMENTS } from './entities/entity-type.js';
import { ExportQuery, StatusInput, ValidationInput } from './entities/registry.inputs.js';
import { registryPolicy } from './entities/registry.policy.js';
import { RegistryService } from './registry.service.js';
import type { ResourceValidation } from './validation/resource-validation.js';
import { ValidationService } from './validation/validation.service.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { CategoryPage, RegistrySummaryView } from './registry-summary.view.js';
import { ApiFileResponse, oneOf } from '../core/rest/openapi/schemas.js';
import { ResourceValidationView } from './validation/resource-validation.view.js';
import { ComponentView } from './components/component.view.js';
import { ModelView } from './models/model.view.js';
import { RelationshipView } from './relationships/relationship.view.js';

/** Operations on the registry as a whole, and validation against it. */
@ApiTags('registry')
@Controller(['meshmodels', 'registry'])
export class RegistryController {
  constructor(
    private readonly registry: RegistryService,
    private readonly presenter: RegistryPresenter,
    private readonly registrantRecords: RegistrantsStore,
    private readonly summaries: RegistrySummaryStore,
    private readonly exports: RegistryExportService,
    private readonly validation: ValidationService,
  ) {}

  @RestOperation('listRegistrants', 'List registrants', 'Lists the sources that registered models.')
  @Get('registrants')
  @RegistryRead()
  @ApiOkResponse({ type: RegistrantPage })
  async registrants(@Query() query: ShortListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.registrantRecords.page(query), 'registrants', RegistrantView.fromEntity);
  }

  @RestOperation('listCategories', 'List categories', 'Lists the categories of models, with counts.')
  @Get('categories')
  @RegistryRead()
  @ApiOkResponse({ type: CategoryPage })
  async categories(@Query() query: ShortListQuery): Promise<PageEnvelope> {
    const categories = await this.summaries.listCategories();
    const page = paginateItems(categories, { name: 'name', getKey: (category) => category.name }, query);
    return toPageEnvelope(page, 'categories', (category) => category);
  }

  @RestOperation(
    'getRegistrySummary',
    'Read the registry summary',
    'Counts the enabled models, components, relationships and registrants.',
  )
  @Get('summary')
  @RegistryRead()
  @ApiOkResponse({ type: RegistrySummaryView })
  summary(): Promise<RegistrySummary> {
    return this.summaries.getSummary();
  }

  /** A package of a model: all its versions, or the requested one. */

  @AuditedCall()
  @RestOperation(
    'exportModel',
    'Export a model',
    'Downloads a package of a model: all its versions, or the requested one.',
    { errors: [404] },
  )
  @Get('export')
  @RegistryRead()
  @ApiFileResponse('The package, with its name in Content-Disposition.', 'application/gzip')
  async export(@Query() query: ExportQuery): Promise<StreamableFile> {
    const { name, content } = await this.exports.export(query);
    return new StreamableFile(content, { type: 'application/gzip', disposition: contentDisposition(name) });
  }

  /** Validates a resource, or a component of a design, as the API server would. */
  @AuditedCall()
  @RestOperation(
    'validateResource',
    'Validate a resource',
    'Checks a resource, or a component of a design, as the Kubernetes API server would.',
  )
  @Post('validate')
  @RequiresRight(registryPolicy.validate)
  @HttpCode(200)
  @RegistryRead()
  @ApiOkResponse({ type: ResourceValidationView })
  validate(@Body() input: ValidationInput): Promise<ResourceValidation> {
    return this.validation.validate(input);
  }

  /** The entity after the change. */

  @RestOperation(
    'updateEntityStatus',
    'Update the status of an entity',
    'Enables or disables a model, a component or a relationship. Disabled entities are left out of lists, validation and generation.',
  )
  @Post(':entityType/status')
  @RequiresRight(registryPolicy.setStatus)
  @HttpCode(200)
  @ApiParam({ name: 'entityType', enum: ENTITY_TYPE_SEGMENTS })
  @ApiOkResponse({ schema: oneOf(ModelView, ComponentView, RelationshipView) })
  @ApiExtraModels(ModelView, ComponentView, RelationshipView)
  async setStatus(
    @CurrentActor() actor: Actor,
    @Param('entityType') segment: string,
    @Body() { id, status }: StatusInput,
  ): Promise<object | undefined> {
    const type = parseEntityType(segment);
    await this.registry.setStatus(actor, type, id, parseStatus(status));
    return this.presenter.toEntityView(type, await this.registry.getEntity(type, id));
  }
}
