import { Body, Controller, Get, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { RegistryRead } from '../core/access/registry-read.js';
import { type Envelope, envelope, whole } from '../core/listing/page.js';
import { attachment } from '../core/rest/download.js';
import { Requires } from '../core/rest/rights/requires.js';
import { statusOf } from './entry-status.js';
import { RegistrantList, RegistrantView } from './registrants/registrant.view.js';
import { RegistrantsStore } from './registrants/registrants.store.js';
import { RegistryExport } from './registry-export.service.js';
import { RegistryPresenter } from './registry-presenter.js';
import { RegistrySummaries, type RegistrySummary } from './registry-summaries.js';
import { entityTypeOf } from './registry-entity.js';
import { ExportQuery, StatusInput, ValidationInput } from './registry.inputs.js';
import { registryPolicy } from './registry.policy.js';
import { RegistryService } from './registry.service.js';
import type { ValidationAnswer } from './validation/validation-answer.js';
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
    private readonly summaries: RegistrySummaries,
    private readonly exports: RegistryExport,
    private readonly validation: ValidationService,
  ) {}

  @Get('registrants')
  @RegistryRead()
  @ApiOkResponse({ type: RegistrantList })
  async registrants(): Promise<RegistrantList> {
    return { registrants: (await this.registrantRecords.list()).map(RegistrantView.of) };
  }

  @Get('categories')
  @RegistryRead()
  async categories(): Promise<Envelope> {
    return envelope(whole(await this.summaries.categories()), 'categories', (category) => category);
  }

  @Get('summary')
  @RegistryRead()
  summary(): Promise<RegistrySummary> {
    return this.summaries.summary();
  }

  /** A package of a model: all its versions, or the one of the query. */
  @Get('export')
  @RegistryRead()
  @ApiProduces('application/gzip')
  async export(@Query() query: ExportQuery): Promise<StreamableFile> {
    const { name, content } = await this.exports.export(query);
    return new StreamableFile(content, { type: 'application/gzip', disposition: attachment(name) });
  }

  /** Judges a resource, or a component of a design, as the API server would. */
  @Post('validate')
  @Requires(registryPolicy.validate)
  @HttpCode(200)
  @RegistryRead()
  validate(@Body() input: ValidationInput): Promise<ValidationAnswer> {
    return this.validation.answer(input);
  }

  /** The entity as it is now. */
  @Post(':entityType/status')
  @Requires(registryPolicy.setStatus)
  @HttpCode(200)
  async setStatus(
    @Caller() actor: Actor,
    @Param('entityType') segment: string,
    @Body() { id, status }: StatusInput,
  ): Promise<object | undefined> {
    const type = entityTypeOf(segment);
    await this.registry.setStatus(actor, type, id, statusOf(status));
    return this.presenter.entity(type, await this.registry.entity(type, id));
  }
}
