import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { connectionPolicy } from '../../connections/connection.policy.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { RequiresBodyRight } from '../../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { resolveFormText, AcceptsFiles } from '../../core/rest/form-uploads.service.js';
import { KubeconfigUpload } from './registration.inputs.js';
import { KubeconfigRegistrationService } from './kubeconfig-registration.service.js';
import { RegistrationView } from './registration.view.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';

@ApiTags('connections')
@Controller('system/kubernetes')
export class KubeconfigRegistrationController {
  constructor(private readonly registration: KubeconfigRegistrationService) {}

  /** Registers each context of a kubeconfig: multipart `k8sfile`, or JSON `{kubeconfig}`. */
  @RestOperation(
    'registerKubeconfig',
    'Register a kubeconfig',
    'Makes each context of a kubeconfig a connection with a credential of its own. The kubeconfig is the form file `k8sfile`, or `kubeconfig` of the JSON body.',
  )
  @Post()
  @RequiresBodyRight(connectionPolicy.create, OrganizationsService)
  @HttpCode(200)
  @AcceptsFiles('k8sfile')
  @ApiOkResponse({ type: RegistrationView })
  register(
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @Body() body: KubeconfigUpload,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RegistrationView> {
    if (body.context_name !== undefined)
      response.append('Warning', '299 - "the field context_name is not needed and ignored"');
    const text = resolveFormText(request, 'k8sfile', KubeconfigUpload.toText(body), 'kubeconfig');
    return this.registration.register(actor, text, body.organization_id);
  }
}
