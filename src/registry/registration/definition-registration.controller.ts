import { Body, Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiConsumes, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { getFormFiles, AcceptsFiles } from '../../core/rest/form-uploads.service.js';
import { parseFlag } from '../../core/schema/input-fields.js';
import { respondAccepted, OperationView } from '../../jobs/operations/operation.view.js';
import { GenerationService } from '../generation/generation.service.js';
import { ComponentsInput, GenerationInput, PackageInput } from '../registry.inputs.js';
import { registryPolicy } from '../registry.policy.js';
import { ComponentRegistrationService } from './component-registration.service.js';
import type { RegistrationResult } from './registration-result.js';
import { RegistrationJobsService } from './registration-jobs.service.js';
import { PackageRegistrationService } from './package-registration.service.js';

/** How definitions come into the registry. With `?async=true` the longer ways answer 202 and where to ask for the operation. */
@ApiTags('registry')
@ApiBearerAuth()
@Controller(['api/meshmodels', 'api/registry'])
export class DefinitionRegistrationController {
  constructor(
    private readonly registrations: PackageRegistrationService,
    private readonly components: ComponentRegistrationService,
    private readonly generation: GenerationService,
    private readonly jobs: RegistrationJobsService,
  ) {}

  /** Registers a package. */
  @Post('register')
  @RequiresRight(registryPolicy.register)
  @HttpCode(200)
  @AcceptsFiles()
  @ApiConsumes('multipart/form-data', 'application/json')
  async register(
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @Body() input: PackageInput,
    @Query('async') later: string | undefined,
    @Query('atomic') atomic: string | undefined,
    @Query('register') register: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RegistrationResult | OperationView> {
    const wish = {
      ...input,
      register: parseFlag(input.register ?? register, true),
      atomic: parseFlag(input.atomic ?? atomic, false),
    };
    if (later === 'true')
      return respondAccepted(response, await this.jobs.enqueueRegistration(actor, wish, getFormFiles(request)));
    return this.registrations.registerPackage(actor, wish, getFormFiles(request));
  }

  /** Registers components of a model that is named beside them. */
  @Post('components')
  @RequiresRight(registryPolicy.register)
  @HttpCode(200)
  registerComponents(@CurrentActor() actor: Actor, @Body() input: ComponentsInput): Promise<RegistrationResult> {
    return this.components.register(actor, input);
  }

  /** Makes models of a source and registers them, unless `config.register` is false. */
  @Post('generate')
  @RequiresRight(registryPolicy.generate)
  @HttpCode(200)
  async generate(
    @CurrentActor() actor: Actor,
    @Body() input: GenerationInput,
    @Query('async') later: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RegistrationResult | OperationView> {
    if (later === 'true') return respondAccepted(response, await this.jobs.enqueueGeneration(actor, input));
    return this.generation.generate(actor, input);
  }
}
