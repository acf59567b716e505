import { Body, Controller, HttpCode, Post, Query, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiConsumes, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { connectionPolicy } from '../../connections/connection.policy.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { RequiresBodyRight } from '../../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { resolveFormText, AcceptsFiles } from '../../core/rest/form-uploads.service.js';
import { KubeconfigUpload, RegistrationQuery } from './registration.inputs.js';
import { KubeconfigRegistrationService } from './kubeconfig-registration.service.js';
import { RegistrationView } from './registration.view.js';

@ApiTags('connections')
@ApiBearerAuth()
@Controller('api/system/kubernetes')
export class KubeconfigRegistrationController {
  constructor(private readonly registration: KubeconfigRegistrationService) {}

  /** Registers each context of a kubeconfig: multipart `k8sfile`, or JSON `{kubeconfig}`. */
  @Post()
  @RequiresBodyRight(connectionPolicy.create, OrganizationsService)
  @HttpCode(200)
  @AcceptsFiles()
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiOkResponse({ type: RegistrationView })
  register(
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @Query() query: RegistrationQuery,
    @Body() body: KubeconfigUpload,
  ): Promise<RegistrationView> {
    const text = resolveFormText(request, 'k8sfile', KubeconfigUpload.toText(body), 'kubeconfig');
    return this.registration.register(actor, text, body.organization_id ?? query.organization_id);
  }
}
