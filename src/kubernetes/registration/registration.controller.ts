import { Body, Controller, HttpCode, Post, Query, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiConsumes, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { connectionPolicy } from '../../connections/connection.policy.js';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { RequiresIn } from '../../core/rest/rights/requires.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { textOf, TakesFiles } from '../../core/rest/upload.js';
import { KubeconfigUpload, RegistrationQuery } from './registration.inputs.js';
import { RegistrationService } from './registration.service.js';
import { RegistrationView } from './registration.view.js';

@ApiTags('connections')
@ApiBearerAuth()
@Controller('api/system/kubernetes')
export class RegistrationController {
  constructor(private readonly registration: RegistrationService) {}

  /** Registers each context of a kubeconfig: multipart `k8sfile`, or JSON `{kubeconfig}`. */
  @Post()
  @RequiresIn(connectionPolicy.create, OrganizationsService)
  @HttpCode(200)
  @TakesFiles()
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiOkResponse({ type: RegistrationView })
  register(
    @Caller() actor: Actor,
    @Req() request: Request,
    @Query() query: RegistrationQuery,
    @Body() body: KubeconfigUpload,
  ): Promise<RegistrationView> {
    const text = textOf(request, 'k8sfile', KubeconfigUpload.textOf(body), 'kubeconfig');
    return this.registration.register(actor, text, body.organization_id ?? query.organization_id);
  }
}
