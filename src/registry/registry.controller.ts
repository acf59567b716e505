import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBearerAuth, ApiConsumes, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { RegistryRead } from '../core/access/registry-read.js';
import { filesOf, UploadInterceptor } from '../core/rest/upload.js';
import { accepted, OperationView } from '../jobs/operations/operation.view.js';
import { statusOf } from './entry-status.js';
import { GenerationService } from './generation/generation.service.js';
import { type EvaluationAnswer, RelationshipEvaluation } from './relationships/evaluation.service.js';
import { RegistryExport } from './registry-export.service.js';
import { RegistryAnswers } from './registry-answers.js';
import {
  EvaluationInput,
  ExportQuery,
  GenerationInput,
  isSet,
  PackageInput,
  StatusInput,
  ValidationInput,
} from './registry.inputs.js';
import { RegistryListQuery } from './registry-list-query.js';
import { RegistryPresenter } from './registry-presenter.js';
import { RegistryService } from './registry.service.js';
import { RegistrySummaries, type RegistrySummary } from './registry-summaries.js';
import { RegistrantList, RegistrantView } from './registrants/registrant.view.js';
import { RegistrantsStore } from './registrants/registrants.store.js';
import { RegistrationJobs } from './registration/registration-jobs.service.js';
import type { RegistrationResult } from './registration/outcome.js';
import { RegistrationsService } from './registration/registrations.service.js';
import { type ValidationAnswer, ValidationService } from './validation/validation.service.js';
import { entityTypeOf } from './registry-entity.js';

@ApiTags('registry')
@ApiBearerAuth()
@Controller(['api/meshmodels', 'api/registry'])
export class RegistryController {
  constructor(
    private readonly registrations: RegistrationsService,
    private readonly jobs: RegistrationJobs,
    private readonly exports: RegistryExport,
    private readonly registry: RegistryService,
    private readonly presenter: RegistryPresenter,
    private readonly answers: RegistryAnswers,
    private readonly registrantRecords: RegistrantsStore,
    private readonly summaries: RegistrySummaries,
    private readonly generation: GenerationService,
    private readonly validation: ValidationService,
    private readonly evaluation: RelationshipEvaluation,
  ) {}

  /** Registers a package. With `?async=true` it answers 202 and where to ask for the operation. */
  @Post('register')
  @HttpCode(200)
  @UseInterceptors(UploadInterceptor)
  @ApiConsumes('multipart/form-data', 'application/json')
  async register(
    @Caller() actor: Actor,
    @Req() request: Request,
    @Body() input: PackageInput,
    @Query('async') later: string | undefined,
    @Query('atomic') atomic: string | undefined,
    @Query('register') register: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RegistrationResult | OperationView> {
    const wish = {
      ...input,
      register: isSet(input.register ?? register, true),
      atomic: isSet(input.atomic ?? atomic, false),
    };
    if (later === 'true') return accepted(response, await this.jobs.beginRegistration(actor, wish, filesOf(request)));
    return this.registrations.registerPackage(actor, wish, filesOf(request));
  }

  /** A package of a model: all its versions, or the one of the query. */
  @Get('export')
  @RegistryRead()
  @ApiProduces('application/gzip')
  async export(@Query() query: ExportQuery): Promise<StreamableFile> {
    const { fileName, content } = await this.exports.export(query);
    return new StreamableFile(content, {
      type: 'application/gzip',
      disposition: `attachment; filename="${fileName}"`,
    });
  }

  @Get('registrants')
  @RegistryRead()
  @ApiOkResponse({ type: RegistrantList })
  async registrants(): Promise<RegistrantList> {
    return { registrants: (await this.registrantRecords.list()).map(RegistrantView.of) };
  }

  @Get('categories')
  @RegistryRead()
  async categories(): Promise<object> {
    return this.summaries.categories();
  }

  @Get('summary')
  @RegistryRead()
  summary(): Promise<RegistrySummary> {
    return this.summaries.summary();
  }

  @Get('relationships')
  @RegistryRead()
  relationships(@Query() query: RegistryListQuery, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.answers.relationships(query, {}, request, response);
  }

  @Get('models/:model/relationships')
  @RegistryRead()
  relationshipsOfModel(
    @Param('model') model: string,
    @Query() query: RegistryListQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.answers.relationships(query, { model }, request, response);
  }

  /** Makes models of a source and registers them, unless `config.register` is false. With `?async=true` it answers 202. */
  @Post('generate')
  @HttpCode(200)
  async generate(
    @Caller() actor: Actor,
    @Body() input: GenerationInput,
    @Query('async') later: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RegistrationResult | OperationView> {
    if (later === 'true') return accepted(response, await this.jobs.beginGeneration(actor, input));
    return this.generation.generate(actor, input);
  }

  /** Judges a resource, or a component of a design, as the API server would. */
  @Post('validate')
  @HttpCode(200)
  @RegistryRead()
  validate(@Body() input: ValidationInput): Promise<ValidationAnswer> {
    return this.validation.answer(input);
  }

  /** Finds the relationships of a design; each carries its reason. Nothing is kept. */
  @Post('relationships/evaluate')
  @HttpCode(200)
  @RegistryRead()
  evaluate(@Body() input: EvaluationInput): Promise<EvaluationAnswer> {
    return this.evaluation.answer(input);
  }

  /** The entity as it is now. */
  @Post(':entityType/status')
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
