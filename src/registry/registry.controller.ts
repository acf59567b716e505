import { Body, Controller, Get, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { RegistryRead } from '../core/access/registry-read.decorator.js';
import { type PageEnvelope, toPageEnvelope, singlePage } from '../core/listing/page.js';
import { contentDisposition } from '../core/rest/download.js';
import { RequiresRight } from '../core/rest/rights/rights.decorators.js';
import { parseStatus } from './entities/entry-status.js';
import { RegistrantList, RegistrantView } from './registrants/registrant.view.js';
import { RegistrantsStore } from './registrants/registrants.store.js';
import { RegistryExportService } from './registry-export.service.js';
import { RegistryPresenter } from './registry.presenter.js';
import { RegistrySummaryStore, type RegistrySummary } from './registry-summary.store.js';
import { parseEntityType } from './entities/entity-type.js';
import { ExportQuery, StatusInput, ValidationInput } from './registry.inputs.js';
import { registryPolicy } from './registry.policy.js';
import { RegistryService } from './registry.service.js';
import type { ResourceValidation } from './validation/resource-validation.js';
import { ValidationService } from './validation/validation.service.js';

/** The registry as a whole: what is in it, and what it says of a resource. */
@ApiTags('registry')
@ApiBearerAuth()
@Controller(['api/meshmodels', 'api/registry'])
export class RegistryController {
  constructor(
    private readonly registry: RegistryService,
    private readonly presenter: RegistryPresenter,
    private readonly registrantRecords: RegistrantsStore,
    private readonly summaries: RegistrySummaryStore,
    private readonly exports: RegistryExportService,
    private readonly validation: ValidationService,
  ) {}

  @Get('registrants')
  @RegistryRead()
  @ApiOkResponse({ type: RegistrantList })
  async registrants(): Promise<RegistrantList> {
    return { registrants: (await this.registrantRecords.list()).map(RegistrantView.fromEntity) };
  }

  @Get('categories')
  @RegistryRead()
  async categories(): Promise<PageEnvelope> {
    return toPageEnvelope(singlePage(await this.summaries.listCategories()), 'categories', (category) => category);
  }

  @Get('summary')
  @RegistryRead()
  summary(): Promise<RegistrySummary> {
    return this.summaries.getSummary();
  }

  /** A package of a model: all its versions, or the one of the query. */
  @Get('export')
  @RegistryRead()
  @ApiProduces('application/gzip')
  async export(@Query() query: ExportQuery): Promise<StreamableFile> {
    const { name, content } = await this.exports.export(query);
    return new StreamableFile(content, { type: 'application/gzip', disposition: contentDisposition(name) });
  }

  /** Judges a resource, or a component of a design, as the API server would. */
  @Post('validate')
  @RequiresRight(registryPolicy.validate)
  @HttpCode(200)
  @RegistryRead()
  validate(@Body() input: ValidationInput): Promise<ResourceValidation> {
    return this.validation.validate(input);
  }

  /** The entity as it is now. */
  @Post(':entityType/status')
  @RequiresRight(registryPolicy.setStatus)
  @HttpCode(200)
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
