import { Body, Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiConsumes, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { Requires } from '../../core/rest/rights/requires.js';
import { filesOf, TakesFiles } from '../../core/rest/upload.js';
import { isSet } from '../../core/schema/input-fields.js';
import { accepted, OperationView } from '../../jobs/operations/operation.view.js';
import { GenerationService } from '../generation/generation.service.js';
import { ComponentsInput, GenerationInput, PackageInput } from '../registry.inputs.js';
import { registryPolicy } from '../registry.policy.js';
import { ComponentRegistrations } from './component-registrations.service.js';
import type { RegistrationResult } from './outcome.js';
import { RegistrationJobs } from './registration-jobs.service.js';
import { RegistrationsService } from './registrations.service.js';

/** How definitions come into the registry. With `?async=true` the longer ways answer 202 and where to ask for the operation. */
@ApiTags('registry')
@ApiBearerAuth()
@Controller(['api/meshmodels', 'api/registry'])
export class RegistrationController {
  constructor(
    private readonly registrations: RegistrationsService,
    private readonly components: ComponentRegistrations,
    private readonly generation: GenerationService,
    private readonly jobs: RegistrationJobs,
  ) {}

  /** Registers a package. */
  @Post('register')
  @Requires(registryPolicy.register)
  @HttpCode(200)
  @TakesFiles()
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

  /** Registers components of a model that is named beside them. */
  @Post('components')
  @Requires(registryPolicy.register)
  @HttpCode(200)
  registerComponents(@Caller() actor: Actor, @Body() input: ComponentsInput): Promise<RegistrationResult> {
    return this.components.register(actor, input);
  }

  /** Makes models of a source and registers them, unless `config.register` is false. */
  @Post('generate')
  @Requires(registryPolicy.generate)
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
}
