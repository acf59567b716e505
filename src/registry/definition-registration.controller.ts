import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiTags, ApiOkResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { RequiresRight } from '../core/rest/rights/rights.decorators.js';
import { getFormFiles, AcceptsFiles } from '../core/rest/form-uploads.service.js';
import { parseFlag } from '../core/schema/input-fields.js';
import { respondAccepted, OperationView } from '../jobs/operations/operation.view.js';
import { GenerationService } from './generation/generation.service.js';
import { ComponentsInput, GenerationInput, PackageInput } from './entities/registry.inputs.js';
import { registryPolicy } from './entities/registry.policy.js';
import { ComponentRegistrationService } from './registration/component-registration.service.js';
import type { RegistrationResult } from './registration/registration-result.js';
import { RegistrationJobsService } from './registration-jobs.service.js';
import { PackageRegistrationService } from './registration/package-registration.service.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { MayRunAsync } from '../jobs/operations/may-run-async.decorator.js';
import { ApiFlagQuery } from '../core/rest/openapi/schemas.js';
import { RegistrationResultView } from './registration/registration-result.view.js';
import { FlagQuery } from '../core/rest/flag.pipe.js';

/** Registration of definitions. With `?async=true` the longer operations answer 202 and the URL of the operation. */
@ApiTags('registry')
@Controller(['meshmodels', 'registry'])
export class DefinitionRegistrationController {
  constructor(
    private readonly registrations: PackageRegistrationService,
    private readonly components: ComponentRegistrationService,
    private readonly generation: GenerationService,
    private readonly jobs: RegistrationJobsService,
  ) {}

  /** Registers a package. */

  @RestOperation(
    'registerPackage',
    'Register a package',
    'Registers the models, components and relationships of a package: an uploaded file, `file` in base64, or a `url` that the server fetches.',
    { errors: [502, 504] },
  )
  @Post('register')
  @RequiresRight(registryPolicy.register)
  @HttpCode(200)
  @AcceptsFiles('file')
  @ApiFlagQuery('register', 'false only validates; the body may set it as well.', true)
  @ApiFlagQuery('atomic', 'true registers all or nothing; the body may set it as well.')
  @ApiOkResponse({ type: RegistrationResultView })
  @MayRunAsync()
  async register(
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @Body() input: PackageInput,
    @FlagQuery('async') later: boolean,
    @FlagQuery('atomic') atomic: boolean,
    @FlagQuery('register', true) register: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RegistrationResult | OperationView> {
    const options = {
      ...input,
      register: parseFlag(input.register, register),
      atomic: parseFlag(input.atomic, atomic),
    };
    if (later)
      return respondAccepted(response, await this.jobs.enqueueRegistration(actor, options, getFormFiles(request)));
    return this.registrations.registerPackage(actor, options, getFormFiles(request));
  }

  /** Registers components of a model that the request names. */
  @RestOperation('registerComponents', 'Register components', 'Registers components of a model that the request names.')
  @Post('components')
  @RequiresRight(registryPolicy.register)
  @HttpCode(200)
  @ApiOkResponse({ type: RegistrationResultView })
  registerComponents(@CurrentActor() actor: Actor, @Body() input: ComponentsInput): Promise<RegistrationResult> {
    return this.components.register(actor, input);
  }

  /** Generates models from a source and registers them, unless `config.register` is false. */

  @RestOperation(
    'generateModels',
    'Generate models',
    'Generates models and components from custom resource definitions, an OpenAPI document, a chart or a cluster, and registers them unless `config.register` is false.',
    { errors: [404, 502, 504] },
  )
  @Post('generate')
  @RequiresRight(registryPolicy.generate)
  @HttpCode(200)
  @ApiOkResponse({ type: RegistrationResultView })
  @MayRunAsync()
  async generate(
    @CurrentActor() actor: Actor,
    @Body() input: GenerationInput,
    @FlagQuery('async') later: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RegistrationResult | OperationView> {
    if (later) return respondAccepted(response, await this.jobs.enqueueGeneration(actor, input));
    return this.generation.generate(actor, input);
  }
}
